// One node for each user's memory that says how often it was written; digests of one user take turns by locking it.
CREATE CONSTRAINT revision_id IF NOT EXISTS FOR (n:Revision) REQUIRE (n.tenant, n.id) IS UNIQUE
