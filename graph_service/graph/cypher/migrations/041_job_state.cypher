// Finds dead letters of a tenant.
CREATE INDEX job_state IF NOT EXISTS FOR (j:Job) ON (j.tenant, j.state)
