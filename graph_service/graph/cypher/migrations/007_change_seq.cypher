// The change log: numbers are unique within a tenant.
CREATE CONSTRAINT change_seq IF NOT EXISTS FOR (n:Change) REQUIRE (n.tenant, n.seq) IS UNIQUE
