// Asks for the work that waits in what was imported; asking again changes nothing. Index job_id.
// $tenant: str
// $rows: list of {about, kind, sessions}, ordered; sessions a list of node ids, or null
// $now_ms: int
// -> id
UNWIND $rows AS row
MERGE (j:Job {tenant: $tenant, id: row.about + '/' + row.kind})
  ON CREATE SET j.kind = row.kind, j.session = row.about, j.sessions = row.sessions, j.wanted = 1, j.attempts = 0,
                j.due_ms = $now_ms, j.open = true, j.state = 'open'
RETURN j.id AS id
