// Messages of a session.
CREATE INDEX message_session IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.session_id)
