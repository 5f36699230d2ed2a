// Release a failed job: retry it at $due_ms, or make it a dead letter. No row: the lease was lost to another worker.
// hot
// $tenant: str
// $id: str
// $lease: str
// $error: str
// $now_ms: int
// $due_ms: int or null; null makes it a dead letter
// $unavailable_service: str or null; the external service whose outage caused the failure; the dead letter is reopened when it answers
// -> state
MATCH (j:Job {tenant: $tenant, id: $id})
SET j.touched_ms = $now_ms
WITH j WHERE j.lease = $lease
SET j.lease = null, j.lease_until_ms = null, j.attempts = j.attempts + 1, j.error = $error, j.failed_ms = $now_ms,
    j.due_ms = coalesce($due_ms, j.due_ms), j.open = CASE WHEN $due_ms IS NULL THEN null ELSE true END,
    j.unavailable_service = CASE WHEN $due_ms IS NULL THEN $unavailable_service ELSE null END,
    j.state = CASE WHEN $due_ms IS NULL THEN 'dead' ELSE 'open' END
RETURN j.state AS state
