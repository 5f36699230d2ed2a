// A page of a tenant's change log by sequence number, for an export. Index change_seq.
// $tenant: str
// $after: int
// $rows: int
// -> key, properties
MATCH (n:Change {tenant: $tenant}) WHERE n.seq > $after
WITH n ORDER BY n.tenant, n.seq LIMIT $rows
RETURN n.seq AS key, properties(n) AS properties ORDER BY key
