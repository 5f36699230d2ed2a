// Adds scenes or rewrites them, joins them to their session, and takes their messages in.
// hot
// $tenant: str
// $session: str
// $rows: list of {id, properties, message_ids}, ordered by id
// -> id, messages
MATCH (session:Session {tenant: $tenant, id: $session})
UNWIND $rows AS row
MERGE (s:Memory {tenant: $tenant, id: row.id}) ON CREATE SET s:Scene
SET s += row.properties
MERGE (s)-[:IN_SESSION]->(session)
WITH s, row
UNWIND row.message_ids AS message_id
MATCH (m:Message {tenant: $tenant, id: message_id})
MERGE (m)-[:PART_OF]->(s)
SET m.unread = null
RETURN s.id AS id, count(m) AS messages
