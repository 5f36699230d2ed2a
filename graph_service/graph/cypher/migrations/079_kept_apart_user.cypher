// What was said to be two in one memory.
CREATE INDEX kept_apart_user IF NOT EXISTS FOR (n:KeptApart) ON (n.tenant, n.user_id)
