// Messages of some sessions of a tenant that wait for a vector, oldest first within each session.
// hot
// $tenant: str
// $sessions: list of str
// $rows_max: int
// -> session, id, speaker, text
// The index is named: planned while nothing waits, the statement would go through all that waits, for each session anew.
UNWIND $sessions AS session
MATCH (m:Message {tenant: $tenant, session_id: session, unembedded: true})
USING INDEX SEEK m:Message(tenant, session_id, unembedded)
WITH session, m ORDER BY session, m.said_ms, m.position, m.id LIMIT $rows_max
RETURN session, m.id AS id, m.speaker AS speaker, m.text AS text
