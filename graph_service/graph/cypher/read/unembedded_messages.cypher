// Messages of a session that wait for a vector, oldest first.
// hot
// $tenant: str
// $session: str
// $rows_max: int
// -> id, speaker, text
MATCH (m:Message {tenant: $tenant, session_id: $session, unembedded: true})
RETURN m.id AS id, m.speaker AS speaker, m.text AS text ORDER BY m.said_ms, m.position, m.id LIMIT $rows_max
