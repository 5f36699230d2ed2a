// Set a user's first_seen and last_seen from the messages that are left. Index message_user.
// $tenant: str
// $user_id: str
// $user_node_id: str
// -> messages, properties
// messages is 0 or 1.
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
CALL (u) {
  MATCH (m:Message {tenant: $tenant, user_id: $user_id}) WHERE m.said_ms IS NOT NULL
  WITH m ORDER BY m.said_ms LIMIT 1
  RETURN count(m) AS messages, min(m.said_at) AS first_seen
}
CALL (u) {
  MATCH (m:Message {tenant: $tenant, user_id: $user_id}) WHERE m.said_ms IS NOT NULL
  WITH m ORDER BY m.said_ms DESC LIMIT 1
  RETURN max(m.said_at) AS last_seen
}
SET u.first_seen = coalesce(first_seen, u.first_seen), u.last_seen = coalesce(last_seen, u.last_seen)
RETURN messages, properties(u) AS properties
