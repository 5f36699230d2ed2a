// Spellings of entities, each folded form as one token, so that a name finds its entity in every script and with every accent.
CREATE FULLTEXT INDEX entity_forms IF NOT EXISTS FOR (n:Entity) ON EACH [n.form_tokens]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}}
