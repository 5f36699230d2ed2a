// A page of a tenant's users, agents, entities and scenes by id, for an export. Index memory_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, labels, properties
MATCH (n:Memory {tenant: $tenant}) WHERE n.id > $after
WITH n ORDER BY n.tenant, n.id LIMIT $rows
RETURN n.id AS key, labels(n) AS labels, properties(n) AS properties ORDER BY key
