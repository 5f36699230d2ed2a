// Indexes on the tags of messages and on tenants in quarantine.
CREATE FULLTEXT INDEX message_tags IF NOT EXISTS FOR (n:Message) ON EACH [n.tag_tokens]
OPTIONS {indexConfig: {`fulltext.analyzer`: "whitespace"}};
CREATE INDEX tenant_quarantine IF NOT EXISTS FOR (n:Tenant) ON (n.quarantine)
