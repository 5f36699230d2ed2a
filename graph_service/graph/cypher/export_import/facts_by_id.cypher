// Facts and mentions, for an export. Indexes prefers_id … caused_by_id.
// $tenant: str
// $ids: list of str
// $vectors: bool
// -> key, type, subject, object, properties
UNWIND $ids AS id
CALL (id) {
  {{each predicate, UNION ALL}}
  MATCH (a)-[r:{{predicate}} {tenant: $tenant, id: id}]->(b)
  RETURN a.id AS subject, r, b.id AS object
  {{end}}
}
RETURN r.id AS key, type(r) AS type, subject, object, CASE WHEN $vectors THEN properties(r) ELSE r {{without_vectors}} END AS properties
