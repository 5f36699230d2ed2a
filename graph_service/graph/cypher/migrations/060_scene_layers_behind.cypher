// Scenes whose texts leave out their latest messages; layers_behind is a property only while they do.
CREATE INDEX scene_layers_behind IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.session_id, n.layers_behind)
