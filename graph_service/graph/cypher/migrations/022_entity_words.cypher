// Names and aliases of entities.
CREATE FULLTEXT INDEX entity_words IF NOT EXISTS FOR (n:Entity) ON EACH [n.name, n.aliases, n.scope_user]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}}
