// What became of the facts of one session, as stored with its scenes, latest first. Index scene_session.
// $tenant: str
// $session: str, node id
// $scenes_max: int
// -> uri, read_by, at, events
MATCH (s:Scene {tenant: $tenant, session_id: $session}) WHERE s.fact_events IS NOT NULL
WITH s ORDER BY s.start_ms DESC, s.id LIMIT $scenes_max
RETURN s.uri AS uri, s.read_by AS read_by, s.last_seen AS at, s.fact_events AS events
