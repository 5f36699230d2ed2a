// One edge for each fact with this predicate.
CREATE CONSTRAINT prefers_id IF NOT EXISTS FOR ()-[r:PREFERS]-() REQUIRE (r.tenant, r.id) IS UNIQUE
