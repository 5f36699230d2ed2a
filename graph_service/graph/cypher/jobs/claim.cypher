// Lease the most overdue jobs of one kind, all of the tenant whose job has waited longest. Over all tenants on purpose: one worker
// serves them.
// hot
// $kind: str
// $jobs_max: int
// $now_ms: int
// $lease_until_ms: int
// $exclude_tenants: list of tenants to skip, because the worker is already running enough of their jobs
// $with_active: bool, also jobs of active sessions
// $lease: str, unique for each claim; only its holder may finish the job. A claim with the same lease returns the same jobs, for a
// caller that lost the answer
// -> tenant, id, session, enqueue_count, attempts
// The index is named, as in jobs/unembedded_messages.
// SET j.claims locks the job; the second WHERE then sees what another worker has committed meanwhile. Ordered by id before
// locking, so that two workers lock in the same order.
MATCH (j:Job {open: true})
USING INDEX SEEK j:Job(open, due_ms)
WHERE j.due_ms <= $now_ms AND (coalesce(j.lease_until_ms, 0) <= $now_ms OR j.lease = $lease) AND j.kind = $kind
  AND NOT coalesce(j.tenant, '') IN $exclude_tenants
  AND ($with_active OR NOT EXISTS { MATCH (:SessionLifecycle {tenant: j.tenant, id: j.session, state: 'active'}) })
WITH j ORDER BY j.due_ms LIMIT $jobs_max
WITH collect(j) AS due
UNWIND [j IN due WHERE j.tenant = due[0].tenant OR j.tenant IS NULL] AS j
WITH j ORDER BY j.id
SET j.claims = CASE WHEN j.claims IS :: INTEGER NOT NULL THEN j.claims + 1 ELSE 1 END
WITH j WHERE j.open AND j.due_ms <= $now_ms AND (coalesce(j.lease_until_ms, 0) <= $now_ms OR j.lease = $lease)
SET j.lease = $lease, j.lease_until_ms = $lease_until_ms, j.state = 'leased'
RETURN j.tenant AS tenant, j.id AS id, j.session AS session, j.enqueue_count AS enqueue_count, j.attempts AS attempts
