// What a digest of a session starts from: the session, its user, and the messages no scene holds yet, oldest first.
// hot
// $tenant: str
// $session: str
// $messages_max: int
// -> session_uri, user_id, agent_id, user_name, user_aliases, user_properties, messages
MATCH (s:Session {tenant: $tenant, id: $session})
MATCH (u:Memory {tenant: $tenant, id: s.user_node_id})
CALL (s) {
  MATCH (m:Message {tenant: $tenant, session_id: s.id, unread: true})
  WITH m ORDER BY m.said_ms, m.position, m.id LIMIT $messages_max
  RETURN collect(m {.id, .uri, .role, .speaker, .text, .said_at, .position, .content_hash, .importance, .episode_id}) AS messages
}
RETURN s.uri AS session_uri, s.user_id AS user_id, s.agent_id AS agent_id, u.name AS user_name, u.aliases AS user_aliases,
       properties(u) AS user_properties, messages
