// Set the state of a session while its close job is leased. No row: the lease was lost, or a new message made the session active again.
// hot
// $tenant: str
// $session: str
// $lease: str
// $before: list of str, the states it may be in
// $state: str
// $now: datetime
// $now_ms: int
// -> state
MATCH (j:Job {tenant: $tenant, id: $session + '/close'}) WHERE j.lease = $lease
SET j.touched_ms = $now_ms
WITH j
MATCH (l:SessionLifecycle {tenant: $tenant, id: $session}) WHERE l.state IN $before
SET l.state = $state, l.closed_at = CASE WHEN $state = 'closed' THEN $now ELSE null END
RETURN l.state AS state
