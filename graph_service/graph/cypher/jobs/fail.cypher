// Return a failed job: to be retried at $due_ms, or parked as a dead letter. No row: the lease was lost to another worker.
// hot
// $tenant: str
// $id: str
// $lease: str
// $error: str
// $now_ms: int
// $due_ms: int or null; null parks it
// $unavailable_service: str or null; the external service that was away, if that was the reason; the parked job is reopened when it answers
// -> state
MATCH (j:Job {tenant: $tenant, id: $id})
SET j.touched_ms = $now_ms
WITH j WHERE j.lease = $lease
SET j.lease = null, j.lease_until_ms = null, j.attempts = j.attempts + 1, j.error = $error, j.failed_ms = $now_ms,
    j.due_ms = coalesce($due_ms, j.due_ms), j.open = CASE WHEN $due_ms IS NULL THEN null ELSE true END,
    j.unavailable_service = CASE WHEN $due_ms IS NULL THEN $unavailable_service ELSE null END,
    j.state = CASE WHEN $due_ms IS NULL THEN 'dead' ELSE 'open' END
RETURN j.state AS state
