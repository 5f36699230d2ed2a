// A page of a tenant's facts and mentions by id, for an export. Indexes prefers_id … caused_by_id.
// $tenant: str
// $after: str
// $rows: int
// $vectors: bool
// -> key, type, subject, object, properties
CALL () {
  {{each predicate, UNION ALL}}
  MATCH (a)-[r:{{predicate}} {tenant: $tenant}]->(b) WHERE r.id > $after
  WITH a, r, b ORDER BY r.tenant, r.id LIMIT $rows
  RETURN a.id AS subject, r, b.id AS object
  {{end}}
}
WITH subject, r, object ORDER BY r.id LIMIT $rows
RETURN r.id AS key, type(r) AS type, subject, object, CASE WHEN $vectors THEN properties(r) ELSE r {{without_vectors}} END AS properties
ORDER BY key
