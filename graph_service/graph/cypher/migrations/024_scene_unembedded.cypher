// Scenes whose layers wait for vectors.
CREATE INDEX scene_unembedded IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.session_id, n.unembedded)
