// The mind map of a tenant, or of one user in it.
CREATE INDEX memory_user IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.user_id)
