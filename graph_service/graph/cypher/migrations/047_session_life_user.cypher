// Sessions of a user by the time of their latest message.
CREATE INDEX session_life_user IF NOT EXISTS FOR (n:SessionLife) ON (n.tenant, n.user_id, n.last_ms)
