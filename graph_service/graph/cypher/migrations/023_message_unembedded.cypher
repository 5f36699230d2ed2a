// Messages that wait for a vector: unembedded is a property only while that is so.
CREATE INDEX message_unembedded IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.session_id, n.unembedded)
