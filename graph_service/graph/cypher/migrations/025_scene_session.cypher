// Scenes of a session by time.
CREATE INDEX scene_session IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.session_id, n.start_ms)
