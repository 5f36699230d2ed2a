// A page of a tenant's facts and mentions by id, for an export. Indexes prefers_id … caused_by_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, type, subject, object, properties
CALL () {
  {{each predicate, UNION ALL}}
  MATCH (a)-[r:{{predicate}} {tenant: $tenant}]->(b) WHERE r.id > $after
  WITH a, r, b ORDER BY r.tenant, r.id LIMIT $rows
  RETURN a.id AS subject, r, b.id AS object
  {{end}}
}
RETURN r.id AS key, type(r) AS type, subject, object, properties(r) AS properties ORDER BY key LIMIT $rows
