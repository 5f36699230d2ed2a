// Users of a tenant.
CREATE INDEX user_tenant IF NOT EXISTS FOR (n:User) ON (n.tenant, n.user_id)
