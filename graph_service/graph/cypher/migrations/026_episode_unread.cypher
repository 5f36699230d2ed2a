// Facts that callers brought and nobody has read yet: unread is a property only while that is so.
CREATE INDEX episode_unread IF NOT EXISTS FOR (n:Episode) ON (n.tenant, n.session_id, n.unread)
