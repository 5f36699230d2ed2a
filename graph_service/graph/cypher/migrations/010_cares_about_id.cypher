// One edge for each fact with this predicate.
CREATE CONSTRAINT cares_about_id IF NOT EXISTS FOR ()-[r:CARES_ABOUT]-() REQUIRE (r.tenant, r.id) IS UNIQUE
