// The newest scenes of a tenant, without looking at all of them.
CREATE INDEX scene_recent IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.last_seen)
