// Two entities are said to be two once.
CREATE CONSTRAINT kept_apart_id IF NOT EXISTS FOR (n:KeptApart) REQUIRE (n.tenant, n.id) IS UNIQUE
