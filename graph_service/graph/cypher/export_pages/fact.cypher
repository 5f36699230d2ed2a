// A page of a tenant's facts, by id, for an export. A relationship index needs its type spelled out, so this lists the
// types of schema/predicates.toml.
// $tenant: str
// $after: str
// $rows: int
// -> key, type, subject, object, properties
CALL () {
  MATCH (a)-[r:PREFERS {tenant: $tenant}]->(b) WHERE r.id > $after
  WITH a, r, b ORDER BY r.tenant, r.id LIMIT $rows
  RETURN a.id AS subject, r, b.id AS object
 UNION ALL
  MATCH (a)-[r:DISLIKES {tenant: $tenant}]->(b) WHERE r.id > $after
  WITH a, r, b ORDER BY r.tenant, r.id LIMIT $rows
  RETURN a.id AS subject, r, b.id AS object
 UNION ALL
  MATCH (a)-[r:CARES_ABOUT {tenant: $tenant}]->(b) WHERE r.id > $after
  WITH a, r, b ORDER BY r.tenant, r.id LIMIT $rows
  RETURN a.id AS subject, r, b.id AS object
 UNION ALL
  MATCH (a)-[r:RELATES_TO {tenant: $tenant}]->(b) WHERE r.id > $after
  WITH a, r, b ORDER BY r.tenant, r.id LIMIT $rows
  RETURN a.id AS subject, r, b.id AS object
 UNION ALL
  MATCH (a)-[r:MENTIONED {tenant: $tenant}]->(b) WHERE r.id > $after
  WITH a, r, b ORDER BY r.tenant, r.id LIMIT $rows
  RETURN a.id AS subject, r, b.id AS object
 UNION ALL
  MATCH (a)-[r:CAUSED_BY {tenant: $tenant}]->(b) WHERE r.id > $after
  WITH a, r, b ORDER BY r.tenant, r.id LIMIT $rows
  RETURN a.id AS subject, r, b.id AS object
}
RETURN r.id AS key, type(r) AS type, subject, object, properties(r) AS properties ORDER BY key LIMIT $rows
