// A page of a tenant's facts of merged entities by id, for an export. Index member_fact_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, properties
MATCH (n:MemberFact {tenant: $tenant}) WHERE n.id > $after
WITH n ORDER BY n.tenant, n.id LIMIT $rows
RETURN n.id AS key, properties(n) AS properties ORDER BY key
