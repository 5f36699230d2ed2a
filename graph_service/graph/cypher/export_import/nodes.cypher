// A page of a tenant's nodes of one kind by key, with their structural links, for an export. Indexes memory_id … change_seq.
// $tenant: str
// $kind: str, a label of EXPORTED_KEYS in schema/labels.py
// $after: str; int for Change
// $rows: int
// $vectors: bool
// -> key, labels, properties, links
CALL () {
  {{each exported, UNION ALL}}
  WITH $kind AS kind WHERE kind = '{{label}}'
  MATCH (n:{{label}} {tenant: $tenant}) WHERE n.{{key}} > $after
  WITH n ORDER BY n.tenant, n.{{key}} LIMIT $rows
  RETURN n, n.{{key}} AS key
  {{end}}
}
RETURN key, labels(n) AS labels, CASE WHEN $vectors THEN properties(n) ELSE n {{without_vectors}} END AS properties,
       COLLECT { MATCH (n)-[l:PART_OF|IN_SESSION|MEMBER_OF]->(b {tenant: $tenant}) RETURN [type(l), b.id] } AS links
ORDER BY key
