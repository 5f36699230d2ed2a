// Lock a tenant until the commit: no other transaction can append to its change log, and all that did are visible. Index tenant_id.
// $tenant: str
// -> tenant
MATCH (t:Tenant {id: $tenant})
SET t.seq = t.seq
RETURN properties(t) AS tenant
