// The last messages of a session that have a text, oldest first; of long ones the first part. Index message_order.
// hot
// $tenant: str
// $session: str
// $turns_max: int
// -> id, role, speaker, text, said_at, position
CALL () {
  MATCH (m:Message {tenant: $tenant, session_id: $session})
  USING INDEX SEEK m:Message(tenant, session_id, said_ms, position)
  WHERE m.said_ms IS NOT NULL AND m.position IS NOT NULL AND m.part_of IS NULL AND m.text <> '' AND {{unexpired m}}
  RETURN m ORDER BY m.tenant DESC, m.session_id DESC, m.said_ms DESC, m.position DESC, m.id DESC LIMIT $turns_max
}
RETURN m.id AS id, m.role AS role, m.speaker AS speaker, m.text AS text, m.said_at AS said_at, m.position AS position
ORDER BY m.said_ms, m.position, m.id
