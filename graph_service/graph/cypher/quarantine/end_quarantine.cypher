// End the quarantine of a tenant; no row if there was none. Unique index tenant_id.
// $tenant: str
// -> tenant
MATCH (t:Tenant {id: $tenant}) WHERE t.quarantine IS NOT NULL
SET t.quarantined_at = null, t.quarantine = null, t.quarantine_reason = null
RETURN t.id AS tenant
