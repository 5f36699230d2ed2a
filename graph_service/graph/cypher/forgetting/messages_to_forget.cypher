// Messages by id, of a session, or of a scene, each with its scene. Indexes message_id, message_session, memory_id.
// $tenant: str
// $ids: list of str
// $session: str or null
// $scene: str or null
// -> id, user_id, session, session_id, text, said_at, scene_id
CALL () {
  UNWIND $ids AS id
  MATCH (m:Message {tenant: $tenant, id: id}) RETURN m
 UNION
  MATCH (m:Message {tenant: $tenant, session_id: $session}) RETURN m
 UNION
  MATCH (m:Message)-[:PART_OF]->(:Memory:Scene {tenant: $tenant, id: $scene}) RETURN m
}
OPTIONAL MATCH (m)-[:PART_OF]->(s:Scene)
OPTIONAL MATCH (x:Session {tenant: $tenant, id: m.session_id})
RETURN m.id AS id, m.user_id AS user_id, m.session_id AS session, x.session_id AS session_id, m.text AS text, m.said_at AS said_at,
       s.id AS scene_id
ORDER BY id
