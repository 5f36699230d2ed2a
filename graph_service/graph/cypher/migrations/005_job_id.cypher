// One node for each piece of work of a tenant.
CREATE CONSTRAINT job_id IF NOT EXISTS FOR (n:Job) REQUIRE (n.tenant, n.id) IS UNIQUE
