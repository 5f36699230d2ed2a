// Messages of a session in the order they were said: what was said around a message.
CREATE INDEX message_order IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.session_id, n.said_ms, n.position)
