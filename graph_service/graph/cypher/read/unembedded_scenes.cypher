// Scenes of some sessions of a tenant whose layer texts wait for vectors.
// hot
// $tenant: str
// $sessions: list of str
// $rows_max: int
// -> session, id, content_hash, abstract, overview
UNWIND $sessions AS session
MATCH (s:Scene {tenant: $tenant, session_id: session, unembedded: true})
WITH session, s ORDER BY session, s.id LIMIT $rows_max
RETURN session, s.id AS id, s.content_hash AS content_hash, s.abstract AS abstract, s.overview AS overview
