// A page of a tenant's MEMBER_OF relationships by the id of their start, for an export. Index member_entity_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, subject, object
MATCH (a:MemberEntity {tenant: $tenant}) WHERE a.id > $after
WITH a ORDER BY a.tenant, a.id LIMIT $rows
OPTIONAL MATCH (a)-[:MEMBER_OF]->(b:Entity {tenant: $tenant})
RETURN a.id AS key, a.id AS subject, b.id AS object ORDER BY key, object
