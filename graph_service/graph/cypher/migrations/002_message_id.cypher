// One node for each message of a tenant.
CREATE CONSTRAINT message_id IF NOT EXISTS FOR (n:Message) REQUIRE (n.tenant, n.id) IS UNIQUE
