// Gives failed work back: to be tried again later, or parked as a dead letter. No row: lease lost, somebody else has it.
// hot
// $tenant: str
// $id: str
// $lease: str
// $error: str
// $due_ms: int or null; null parks it
// -> state
MATCH (j:Job {tenant: $tenant, id: $id}) WHERE j.lease = $lease
SET j.lease = null, j.lease_until_ms = null, j.attempts = j.attempts + 1, j.error = $error,
    j.due_ms = coalesce($due_ms, j.due_ms), j.open = CASE WHEN $due_ms IS NULL THEN null ELSE true END,
    j.state = CASE WHEN $due_ms IS NULL THEN 'dead' ELSE 'open' END
RETURN j.state AS state
