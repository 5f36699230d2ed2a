// A page of a tenant's IN_SESSION relationships by the id of their start, for an export. Index memory_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, subject, object
MATCH (a:Memory {tenant: $tenant}) WHERE a.id > $after
WITH a ORDER BY a.tenant, a.id LIMIT $rows
OPTIONAL MATCH (a)-[:IN_SESSION]->(b:Session {tenant: $tenant})
RETURN a.id AS key, a.id AS subject, b.id AS object ORDER BY key, object
