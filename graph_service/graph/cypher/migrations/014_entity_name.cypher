// Entities and users of one memory by the key of their name.
CREATE INDEX entity_name IF NOT EXISTS FOR (n:Entity) ON (n.tenant, n.user_id, n.key)
