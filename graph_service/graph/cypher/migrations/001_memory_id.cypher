// One node for each user, agent, entity and scene of a tenant.
CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (n:Memory) REQUIRE (n.tenant, n.id) IS UNIQUE
