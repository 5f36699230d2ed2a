// Enqueue the work that imported data waits for; idempotent. Closing a session claims its other jobs too, so a job is created even
// if none is due. Index job_id.
// $tenant: str
// $rows: list of {about, kind, sessions, waits}, ordered; sessions a list of node ids, or null
// $now_ms: int
// -> id
UNWIND $rows AS row
MERGE (j:Job {tenant: $tenant, id: row.about + '/' + row.kind})
  ON CREATE SET j.kind = row.kind, j.session = row.about, j.sessions = row.sessions, j.enqueue_count = 1, j.attempts = 0, j.due_ms = $now_ms,
                j.open = CASE WHEN row.waits THEN true END, j.state = CASE WHEN row.waits THEN 'open' ELSE 'done' END
RETURN j.id AS id
