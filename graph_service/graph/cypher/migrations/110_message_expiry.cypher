// Messages that expire.
CREATE INDEX message_expiry IF NOT EXISTS FOR (n:Message) ON (n.expires_ms)
