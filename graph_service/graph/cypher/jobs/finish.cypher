// Finishes claimed work in the commit that holds its result; more work asked for meanwhile keeps it open. No row: lease lost.
// hot
// $tenant: str
// $id: str
// $lease: str
// $wanted: int, as it was when the work was claimed
// $more: bool, true when the worker left a rest
// $now_ms: int
// -> open
MATCH (j:Job {tenant: $tenant, id: $id}) WHERE j.lease = $lease
WITH j, $more OR j.wanted > $wanted AS more
SET j.lease = null, j.lease_until_ms = null, j.attempts = 0, j.error = null, j.due_ms = $now_ms,
    j.open = CASE WHEN more THEN true ELSE null END, j.state = CASE WHEN more THEN 'open' ELSE 'done' END
RETURN more AS open
