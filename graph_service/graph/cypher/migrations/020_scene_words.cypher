// Words of scene titles, abstracts and overviews.
CREATE FULLTEXT INDEX scene_words IF NOT EXISTS FOR (n:Scene) ON EACH [n.name, n.abstract, n.overview, n.scope_tenant, n.scope_user, n.said_day]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}}
