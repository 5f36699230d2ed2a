// Entities that were merged keep themselves as they are, once each.
CREATE CONSTRAINT held_entity_id IF NOT EXISTS FOR (n:HeldEntity) REQUIRE (n.tenant, n.id) IS UNIQUE
