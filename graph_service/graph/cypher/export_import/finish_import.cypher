// Set the tenant's properties from the file and mark the import as complete. Index tenant_id.
// $tenant: str
// $properties: map of tenant properties
// $epoch: str, a new one, because the changes of the file do not follow those that were read before
// -> seq
MATCH (t:Tenant {id: $tenant})
WITH t, t.seq AS seq
SET t += $properties, t.importing = null, t.epoch = $epoch
SET t.seq = CASE WHEN seq > t.seq THEN seq ELSE t.seq END
RETURN t.seq AS seq
