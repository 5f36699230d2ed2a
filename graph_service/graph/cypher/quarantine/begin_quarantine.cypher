// Put a tenant into quarantine, also one that has stored nothing yet. Unique index tenant_id.
// $tenant: str
// $epoch: str, used only when the tenant is new
// $mode: str
// $reason: str
// $now: datetime
MERGE (t:Tenant {id: $tenant}) ON CREATE SET t.seq = 0, t.epoch = $epoch, t.created_at = $now
SET t.quarantined_at = coalesce(t.quarantined_at, $now), t.quarantine = $mode, t.quarantine_reason = $reason
