// A page of a tenant's PART_OF relationships by the id of their start, for an export. Index message_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, subject, object
MATCH (a:Message {tenant: $tenant}) WHERE a.id > $after
WITH a ORDER BY a.tenant, a.id LIMIT $rows
OPTIONAL MATCH (a)-[:PART_OF]->(b:Scene {tenant: $tenant})
RETURN a.id AS key, a.id AS subject, b.id AS object ORDER BY key, object
