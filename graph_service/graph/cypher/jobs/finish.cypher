// Finishes claimed work in the commit that holds its result; more work asked for meanwhile keeps it open. A row for each job that
// was still leased; fewer rows than jobs: a lease was lost.
// hot
// $tenant: str
// $rows: list of {id, wanted, more, too_slow}: wanted as it was when the work was claimed, more when the worker left a rest,
// too_slow why a part of it was done the plain way, or null: the job is left as a dead letter that says so
// $lease: str
// $now_ms: int
// -> id, open
// Locked before it is read: what was asked for by a commit that this one waited for must be seen, or it is never done.
UNWIND $rows AS row
MATCH (j:Job {tenant: $tenant, id: row.id})
SET j.touched_ms = $now_ms
WITH j, row WHERE j.lease = $lease
WITH j, row.more OR j.wanted > row.wanted AS more, coalesce(row.too_slow, j.too_slow) AS too_slow,
     CASE WHEN row.too_slow IS NULL THEN j.failed_ms ELSE $now_ms END AS failed_ms
SET j.lease = null, j.lease_until_ms = null, j.attempts = 0, j.error = too_slow, j.due_ms = $now_ms, j.too_slow = too_slow,
    j.failed_ms = failed_ms, j.open = CASE WHEN more THEN true ELSE null END,
    j.state = CASE WHEN more THEN 'open' WHEN too_slow IS NULL THEN 'done' ELSE 'dead' END
RETURN j.id AS id, more AS open
