// English words of messages without their endings, beside message_words, which keeps them; scope and day are fields of the index.
CREATE FULLTEXT INDEX message_stems IF NOT EXISTS FOR (n:Message) ON EACH [n.text, n.scope_user, n.said_day]
OPTIONS {indexConfig: {`fulltext.analyzer`: "english"}}
