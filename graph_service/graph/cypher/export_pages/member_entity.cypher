// A page of a tenant's members of merged entities by id, for an export. Index member_entity_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, properties
MATCH (n:MemberEntity {tenant: $tenant}) WHERE n.id > $after
WITH n ORDER BY n.tenant, n.id LIMIT $rows
RETURN n.id AS key, properties(n) AS properties ORDER BY key
