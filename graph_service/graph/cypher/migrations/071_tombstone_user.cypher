// Marks of what a user's memory must not learn again.
CREATE INDEX tombstone_user IF NOT EXISTS FOR (n:Tombstone) ON (n.tenant, n.user_node_id)
