// Asks for the work that waits in what was imported; asking again changes nothing. Whoever closes a session claims the other work of
// it, whether any waits or not, so that a row without any is there too. Index job_id.
// $tenant: str
// $rows: list of {about, kind, sessions, waits}, ordered; sessions a list of node ids, or null
// $now_ms: int
// -> id
UNWIND $rows AS row
MERGE (j:Job {tenant: $tenant, id: row.about + '/' + row.kind})
  ON CREATE SET j.kind = row.kind, j.session = row.about, j.sessions = row.sessions, j.wanted = 1, j.attempts = 0, j.due_ms = $now_ms,
                j.open = CASE WHEN row.waits THEN true END, j.state = CASE WHEN row.waits THEN 'open' ELSE 'done' END
RETURN j.id AS id
