// One node for each session of a tenant.
CREATE CONSTRAINT session_id IF NOT EXISTS FOR (n:Session) REQUIRE (n.tenant, n.id) IS UNIQUE
