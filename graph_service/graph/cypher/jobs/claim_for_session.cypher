// Lease one job of a session, due or not, unless another worker has leased it.
// hot
// $tenant: str
// $id: str
// $even_if_done: bool; also if it is not open
// $now_ms: int
// $lease_until_ms: int
// $lease: str
// -> session, enqueue_count, attempts
MATCH (j:Job {tenant: $tenant, id: $id})
SET j.claims = CASE WHEN j.claims IS :: INTEGER NOT NULL THEN j.claims + 1 ELSE 1 END
WITH j WHERE (j.open OR $even_if_done) AND coalesce(j.lease_until_ms, 0) <= $now_ms
SET j.lease = $lease, j.lease_until_ms = $lease_until_ms, j.state = 'leased', j.open = true
RETURN j.session AS session, j.enqueue_count AS enqueue_count, j.attempts AS attempts
