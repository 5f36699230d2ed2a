// Messages of a session that no scene holds yet: unread is a property only while that is so.
CREATE INDEX message_unread IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.session_id, n.unread)
