// Release an unfinished job without counting a failure. No row: the lease was lost, or the job is done.
// hot
// $tenant: str
// $id: str
// $lease: str
// $due_ms: int
// -> id
MATCH (j:Job {tenant: $tenant, id: $id})
SET j.touched_ms = $due_ms
WITH j WHERE j.lease = $lease
SET j.lease = null, j.lease_until_ms = null, j.due_ms = $due_ms, j.state = 'open'
RETURN j.id AS id
