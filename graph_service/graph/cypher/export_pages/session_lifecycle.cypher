// A page of a tenant's session states by id, for an export. Index session_lifecycle_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, properties
MATCH (n:SessionLifecycle {tenant: $tenant}) WHERE n.id > $after
WITH n ORDER BY n.tenant, n.id LIMIT $rows
RETURN n.id AS key, properties(n) AS properties ORDER BY key
