// Enqueue jobs for some sessions, in the commit that causes them. Locks the jobs, after memories and scenes.
// hot
// $tenant: str
// $rows: list of {session, kind}, ordered
// $now_ms: int
// -> id
UNWIND $rows AS row
MERGE (j:Job {tenant: $tenant, id: row.session + '/' + row.kind})
  ON CREATE SET j.kind = row.kind, j.session = row.session, j.enqueue_count = 0, j.attempts = 0
SET j.touched_ms = $now_ms
WITH j
SET j.attempts = CASE WHEN j.open THEN j.attempts ELSE 0 END, j.due_ms = CASE WHEN j.open THEN j.due_ms ELSE $now_ms END,
    j.enqueue_count = j.enqueue_count + 1, j.open = true, j.state = CASE WHEN j.lease IS NULL THEN 'open' ELSE j.state END
RETURN j.id AS id
