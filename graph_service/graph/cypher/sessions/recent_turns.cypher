// The last messages of a session, oldest first: those without a scene, and those of the last scenes.
// hot
// $tenant: str
// $session: str
// $turns_max: int
// -> id, role, speaker, text, said_at, position
// The last N messages are in the last N scenes or in none: each of N scenes that end later has a later message.
// Every scene has start_ms; the condition makes index scene_session usable. Indexes are named, as in unembedded_messages.
CALL () {
  MATCH (m:Message {tenant: $tenant, session_id: $session, unread: true})
  USING INDEX SEEK m:Message(tenant, session_id, unread)
  RETURN m ORDER BY m.said_ms DESC, m.position DESC, m.id DESC LIMIT $turns_max
 UNION
  MATCH (s:Scene {tenant: $tenant, session_id: $session})
  USING INDEX SEEK s:Scene(tenant, session_id, start_ms)
  WHERE s.start_ms IS NOT NULL
  WITH s ORDER BY s.end_ms DESC, s.id LIMIT $turns_max
  MATCH (m:Message)-[:PART_OF]->(s) WHERE m.tenant = $tenant
  RETURN m ORDER BY m.said_ms DESC, m.position DESC, m.id DESC LIMIT $turns_max
}
WITH m ORDER BY m.said_ms DESC, m.position DESC, m.id DESC LIMIT $turns_max
WITH m ORDER BY m.said_ms, m.position, m.id
RETURN m.id AS id, m.role AS role, m.speaker AS speaker, m.text AS text, m.said_at AS said_at, m.position AS position
