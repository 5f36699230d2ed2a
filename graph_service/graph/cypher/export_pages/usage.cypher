// A page of a tenant's usage by day, for an export. Index usage_day.
// $tenant: str
// $after: str
// $rows: int
// -> key, properties
MATCH (n:Usage {tenant: $tenant}) WHERE n.day > $after
WITH n ORDER BY n.tenant, n.day LIMIT $rows
RETURN n.day AS key, properties(n) AS properties ORDER BY key
