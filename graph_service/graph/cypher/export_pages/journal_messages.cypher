// A page of a user's messages with their scenes, in the order in which they were said. Index message_user.
// $tenant: str
// $user_id: str
// $after_ms: int
// $after_position: int
// $after_id: str
// $rows: int
// -> id, role, speaker, text, said_at, said_ms, position, zone, tags, session, scene, title, abstract
MATCH (m:Message {tenant: $tenant, user_id: $user_id})
WHERE m.said_ms >= $after_ms AND (m.said_ms > $after_ms OR m.position > $after_position OR (m.position = $after_position AND m.id > $after_id))
WITH m ORDER BY m.said_ms, m.position, m.id LIMIT $rows
OPTIONAL MATCH (m)-[:PART_OF]->(s:Scene)
WITH m, head(collect(s)) AS s
OPTIONAL MATCH (session:Session {tenant: $tenant, id: m.session_id})
RETURN m.id AS id, m.role AS role, m.speaker AS speaker, m.text AS text, m.said_at AS said_at, m.said_ms AS said_ms, m.position AS position,
  m.zone AS zone, m.tags AS tags, session.session_id AS session, s.id AS scene, s.name AS title, s.abstract AS abstract
ORDER BY said_ms, position, id
