// Messages by id, of a session, or of a scene, each with its scene; of long texts all parts. Indexes message_id, message_session, memory_id.
// $tenant: str
// $ids: list of str
// $session: str or null
// $scene: str or null
// $expired_ms: int or null; of these only messages that expire until then
// -> id, part_of, user_id, session, session_id, text, said_at, scene_id
CALL () {
  UNWIND $ids AS id
  MATCH (m:Message {tenant: $tenant, id: id}) RETURN m
 UNION
  MATCH (m:Message {tenant: $tenant, session_id: $session}) RETURN m
 UNION
  MATCH (m:Message)-[:PART_OF]->(:Memory:Scene {tenant: $tenant, id: $scene}) RETURN m
}
WITH collect(DISTINCT CASE WHEN $expired_ms IS NULL OR m.expires_ms <= $expired_ms THEN m END) AS named
CALL (named) {
  UNWIND named AS m RETURN m
 UNION
  UNWIND named AS one
  MATCH (first:Message {tenant: $tenant, id: coalesce(one.part_of, one.id)})
  UNWIND [first.id] + coalesce(first.parts, []) AS id
  MATCH (m:Message {tenant: $tenant, id: id}) RETURN m
}
OPTIONAL MATCH (m)-[:PART_OF]->(s:Scene)
OPTIONAL MATCH (x:Session {tenant: $tenant, id: m.session_id})
RETURN m.id AS id, m.part_of AS part_of, m.user_id AS user_id, m.session_id AS session, x.session_id AS session_id, m.text AS text, m.said_at AS said_at,
       s.id AS scene_id
ORDER BY id
