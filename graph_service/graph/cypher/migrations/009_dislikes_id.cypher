// One edge for each fact with this predicate.
CREATE CONSTRAINT dislikes_id IF NOT EXISTS FOR ()-[r:DISLIKES]-() REQUIRE (r.tenant, r.id) IS UNIQUE
