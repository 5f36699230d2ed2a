// Merged entities of one memory by the key of the name they had.
CREATE INDEX held_entity_name IF NOT EXISTS FOR (n:HeldEntity) ON (n.tenant, n.user_id, n.key)
