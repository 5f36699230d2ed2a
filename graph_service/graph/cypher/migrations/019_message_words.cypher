// Words of messages, Chinese as pairs of characters; scope and day are fields of the index, so filters act inside it.
CREATE FULLTEXT INDEX message_words IF NOT EXISTS FOR (n:Message) ON EACH [n.text, n.speaker, n.scope_tenant, n.scope_user, n.said_day]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}}
