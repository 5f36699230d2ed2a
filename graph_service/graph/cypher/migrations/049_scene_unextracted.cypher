// Scenes that wait for their reading; unextracted is a property only while they do.
CREATE INDEX scene_unextracted IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.session_id, n.unextracted)
