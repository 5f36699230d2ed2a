// What was said in a session or in one of its scenes, the oldest first (L2).
// $tenant: str
// $session: str
// $scene: str or null; only what is in this scene
// $rows_max: int
// -> speaker, role, said_at, text
MATCH (m:Message {tenant: $tenant, session_id: $session})
WHERE $scene IS NULL OR EXISTS { (m)-[:PART_OF]->(:Scene {tenant: $tenant, id: $scene}) }
WITH m ORDER BY m.said_ms, m.position, m.id LIMIT $rows_max
RETURN m.speaker AS speaker, m.role AS role, m.said_at AS said_at, m.text AS text
