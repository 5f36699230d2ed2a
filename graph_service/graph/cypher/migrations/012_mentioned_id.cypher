// One edge for each fact with this predicate.
CREATE CONSTRAINT mentioned_id IF NOT EXISTS FOR ()-[r:MENTIONED]-() REQUIRE (r.tenant, r.id) IS UNIQUE
