// One edge for each fact with this predicate.
CREATE CONSTRAINT caused_by_id IF NOT EXISTS FOR ()-[r:CAUSED_BY]-() REQUIRE (r.tenant, r.id) IS UNIQUE
