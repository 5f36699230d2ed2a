// Messages of a user by time.
CREATE INDEX message_user IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.user_id, n.said_ms)
