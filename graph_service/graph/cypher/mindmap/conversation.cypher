// The latest messages of some users, without those of corrections, newest first. Index message_user.
// $tenant: str
// $users: list of user ids
// $prefix: str, of the ids of correction sessions
// $chars_max: int
// $rows_max: int
// -> id, user_id, session_id, role, speaker, text, chars, said_at, received_at, scene_id, read
UNWIND $users AS user
CALL (user) {
  MATCH (m:Message {tenant: $tenant, user_id: user})
  WHERE m.said_ms IS NOT NULL
  WITH m ORDER BY m.said_ms DESC
  OPTIONAL MATCH (x:Session {tenant: $tenant, id: m.session_id})
  WITH m, x WHERE x IS NULL OR NOT x.session_id STARTS WITH $prefix
  RETURN m, x LIMIT $rows_max
}
WITH m, x ORDER BY m.said_ms DESC, m.position DESC, m.id LIMIT $rows_max
OPTIONAL MATCH (m)-[:PART_OF]->(s:Scene)
RETURN m.id AS id, m.user_id AS user_id, coalesce(x.session_id, '') AS session_id, m.role AS role, m.speaker AS speaker,
       left(m.text, $chars_max) AS text, size(m.text) AS chars, m.said_at AS said_at, m.received_at AS received_at,
       s.id AS scene_id, s IS NOT NULL AND s.unextracted IS NULL AS read
ORDER BY m.said_ms DESC, m.position DESC, m.id
