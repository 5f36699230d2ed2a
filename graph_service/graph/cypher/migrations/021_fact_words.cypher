// Words of facts; the types are those of schema/predicates.toml that hold between beings.
CREATE FULLTEXT INDEX fact_words IF NOT EXISTS FOR ()-[r:PREFERS|DISLIKES|CARES_ABOUT|RELATES_TO|CAUSED_BY]-() ON EACH [r.statement, r.relation, r.scope_tenant, r.scope_user]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}}
