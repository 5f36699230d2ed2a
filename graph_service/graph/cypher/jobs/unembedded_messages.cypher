// Messages that wait for a vector in some sessions of a tenant, oldest first within each session.
// hot
// $tenant: str
// $sessions: list of str
// $rows_max: int
// -> session, id, speaker, text
// The index is named: a plan made while nothing waits would scan everything that waits, once per session.
UNWIND $sessions AS session
MATCH (m:Message {tenant: $tenant, session_id: session, unembedded: true})
USING INDEX SEEK m:Message(tenant, session_id, unembedded)
WITH session, m ORDER BY session, m.said_ms, m.position, m.id LIMIT $rows_max
RETURN session, m.id AS id, m.speaker AS speaker, m.text AS text
