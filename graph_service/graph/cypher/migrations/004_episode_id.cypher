// One node for each set of facts that a caller brought.
CREATE CONSTRAINT episode_id IF NOT EXISTS FOR (n:Episode) REQUIRE (n.tenant, n.id) IS UNIQUE
