// The properties of a tenant; no row: no such tenant. Index tenant_id.
// $tenant: str
// -> tenant
MATCH (t:Tenant {id: $tenant})
RETURN properties(t) AS tenant
