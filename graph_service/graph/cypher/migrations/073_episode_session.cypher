// What callers brought in a session.
CREATE INDEX episode_session IF NOT EXISTS FOR (n:Episode) ON (n.tenant, n.session_id)
