// A page of a tenant's STANDS_FOR relationships by the id of their start, for an export. Index held_entity_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, subject, object
MATCH (a:HeldEntity {tenant: $tenant}) WHERE a.id > $after
WITH a ORDER BY a.tenant, a.id LIMIT $rows
OPTIONAL MATCH (a)-[:STANDS_FOR]->(b:Entity {tenant: $tenant})
RETURN a.id AS key, a.id AS subject, b.id AS object ORDER BY key, object
