// Scenes of a session whose layer texts wait for vectors.
// hot
// $tenant: str
// $session: str
// $rows_max: int
// -> id, content_hash, abstract, overview
MATCH (s:Scene {tenant: $tenant, session_id: $session, unembedded: true})
RETURN s.id AS id, s.content_hash AS content_hash, s.abstract AS abstract, s.overview AS overview ORDER BY s.id LIMIT $rows_max
