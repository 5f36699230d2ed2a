// The metadata of messages, the oldest first. Unique index message_id.
// $tenant: str
// $ids: list of str
// -> id, metadata
UNWIND $ids AS id
MATCH (m:Message {tenant: $tenant, id: id}) WHERE m.metadata IS NOT NULL
RETURN m.id AS id, m.metadata AS metadata
ORDER BY m.said_ms, m.position, m.id
