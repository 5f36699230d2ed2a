// All tenants with their quarantine, for a backup. Index tenant_id.
// -> tenant
MATCH (t:Tenant) WHERE t.id > ''
RETURN t {.id, .quarantine, .quarantine_reason, .quarantined_at} AS tenant
ORDER BY t.id
