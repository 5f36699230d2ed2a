// Begins an import into a tenant that holds nothing, or goes on with the same one. No row: the tenant holds something. Index tenant_id.
// $tenant: str
// $file: str, the hash of what is imported
// $epoch: str, used only when the tenant is new
// $now: datetime
// -> begun
MERGE (t:Tenant {id: $tenant}) ON CREATE SET t.seq = 0, t.epoch = $epoch, t.created_at = $now, t.importing = $file
WITH t WHERE t.importing = $file
RETURN t.importing AS begun
