// Set the tenant's properties from the file and mark the import as complete. Index tenant_id.
// $tenant: str
// $properties: map of tenant properties
// -> seq
MATCH (t:Tenant {id: $tenant})
SET t += $properties, t.importing = null
RETURN t.seq AS seq
