// Enqueue the jobs of imported data; idempotent. Closing a session claims its other jobs too, so these are created even if they are
// done. Index job_id.
// $tenant: str
// $rows: list of {about, kind, sessions, is_open}, ordered; sessions a list of node ids, or null
// $now_ms: int
// -> id
UNWIND $rows AS row
MERGE (j:Job {tenant: $tenant, id: row.about + '/' + row.kind})
  ON CREATE SET j.kind = row.kind, j.session = row.about, j.sessions = row.sessions, j.enqueue_count = 1, j.attempts = 0, j.due_ms = $now_ms,
                j.open = CASE WHEN row.is_open THEN true END, j.state = CASE WHEN row.is_open THEN 'open' ELSE 'done' END
RETURN j.id AS id
