// Begin an import into an empty tenant, or resume the same import. No row: the tenant is not empty. Index tenant_id.
// $tenant: str
// $file: str, the hash of the imported file
// $seq: int, of the file; what is stored meanwhile is numbered from there. Used only when the tenant is new
// $epoch: str, used only when the tenant is new
// $now: datetime
// -> begun
MERGE (t:Tenant {id: $tenant}) ON CREATE SET t.seq = $seq, t.epoch = $epoch, t.created_at = $now, t.importing = $file
WITH t WHERE t.importing = $file
RETURN t.importing AS begun
