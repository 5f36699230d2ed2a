// Tenants in quarantine. Over all tenants on purpose: each process keeps the list. Index tenant_quarantine.
// -> tenant, mode, reason, since
MATCH (t:Tenant) WHERE t.quarantine IS NOT NULL
RETURN t.id AS tenant, t.quarantine AS mode, t.quarantine_reason AS reason, t.quarantined_at AS since ORDER BY tenant
