// One edge for each fact with this predicate.
CREATE CONSTRAINT relates_to_id IF NOT EXISTS FOR ()-[r:RELATES_TO]-() REQUIRE (r.tenant, r.id) IS UNIQUE
