// Start and end of the scenes of some sessions. Index scene_session.
// $tenant: str
// $sessions: list of str
// -> session, id, start_ms, end_ms
UNWIND $sessions AS session
MATCH (s:Scene {tenant: $tenant, session_id: session}) WHERE s.start_ms IS NOT NULL
RETURN session, s.id AS id, s.start_ms AS start_ms, s.end_ms AS end_ms
