// A page of a tenant's episodes by id, for an export. Index episode_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, properties
MATCH (n:Episode {tenant: $tenant}) WHERE n.id > $after
WITH n ORDER BY n.tenant, n.id LIMIT $rows
RETURN n.id AS key, properties(n) AS properties ORDER BY key
