// Messages of corrections in one user's memory, latest first. Indexes session_lifecycle_user and message_session.
// $tenant: str
// $user_id: str
// $prefix: str, of the ids of their sessions
// $rows_max: int
// -> id, text, speaker, said_at, session_id, scene_id
MATCH (l:SessionLifecycle {tenant: $tenant, user_id: $user_id})
WHERE l.last_ms >= 0 AND l.session_id STARTS WITH $prefix
WITH l ORDER BY l.last_ms DESC, l.id LIMIT $rows_max
MATCH (m:Message {tenant: $tenant, session_id: l.id})
OPTIONAL MATCH (m)-[:PART_OF]->(s:Scene)
RETURN m.id AS id, m.text AS text, m.speaker AS speaker, m.said_at AS said_at, l.session_id AS session_id, s.id AS scene_id
ORDER BY m.said_ms DESC, m.id
