// Active sessions by the time of their latest message.
CREATE INDEX session_life_idle IF NOT EXISTS FOR (n:SessionLife) ON (n.state, n.last_ms)
