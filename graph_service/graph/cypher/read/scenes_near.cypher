// Scenes of a session that overlap a span of time, or that hold given messages, each with its messages.
// hot
// $tenant: str
// $session: str
// $from_ms: int
// $to_ms: int
// $message_ids: list of str
// -> id, uri, properties, messages
CALL () {
  MATCH (s:Scene {tenant: $tenant, session_id: $session}) WHERE s.start_ms <= $to_ms AND s.end_ms >= $from_ms
  RETURN s
 UNION
  UNWIND $message_ids AS message_id
  MATCH (:Message {tenant: $tenant, id: message_id})-[:PART_OF]->(s:Scene)
  RETURN s
}
MATCH (m:Message)-[:PART_OF]->(s)
WITH s, m ORDER BY m.said_ms, m.position, m.id
RETURN s.id AS id, s.uri AS uri, s {.*, abstract_embedding: null, overview_embedding: null} AS properties,
       collect(m {.id, .uri, .role, .speaker, .text, .said_at, .position, .content_hash, .importance, .episode_id}) AS messages
