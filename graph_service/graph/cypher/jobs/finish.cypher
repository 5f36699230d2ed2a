// Finish leased jobs in the commit of their results; a job that was enqueued again meanwhile stays open. One row per job that was still
// leased; fewer rows than jobs: a lease was lost.
// hot
// $tenant: str
// $rows: list of {id, enqueue_count, more, too_slow}: enqueue_count as of the claim; more: part of the work is left;
// too_slow: why a part of it was skipped, or null; if set, the job becomes a dead letter with this reason
// $lease: str
// $now_ms: int
// -> id, open
// Locked before it is read, to see work enqueued by a commit that this one waited for.
UNWIND $rows AS row
MATCH (j:Job {tenant: $tenant, id: row.id})
SET j.touched_ms = $now_ms
WITH j, row WHERE j.lease = $lease
WITH j, row.more OR j.enqueue_count > row.enqueue_count AS more, coalesce(row.too_slow, j.too_slow) AS too_slow,
     CASE WHEN row.too_slow IS NULL THEN j.failed_ms ELSE $now_ms END AS failed_ms
SET j.lease = null, j.lease_until_ms = null, j.attempts = 0, j.error = too_slow, j.due_ms = $now_ms, j.too_slow = too_slow,
    j.failed_ms = failed_ms, j.open = CASE WHEN more THEN true ELSE null END,
    j.state = CASE WHEN more THEN 'open' WHEN too_slow IS NULL THEN 'done' ELSE 'dead' END
RETURN j.id AS id, more AS open
