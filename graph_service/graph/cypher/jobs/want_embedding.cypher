// Asks for vectors of what a session gained, inside the commit that wrote it.
// hot
// $tenant: str
// $session: str
// $now_ms: int
// -> id
MERGE (j:Job {tenant: $tenant, id: $session + '/embed'})
  ON CREATE SET j.kind = 'embed', j.session = $session, j.wanted = 0, j.attempts = 0, j.due_ms = $now_ms, j.open = true
SET j.touched_ms = $now_ms
WITH j
SET j.attempts = CASE WHEN j.open THEN j.attempts ELSE 0 END, j.due_ms = CASE WHEN j.open THEN j.due_ms ELSE $now_ms END,
    j.wanted = j.wanted + 1, j.open = true, j.state = CASE WHEN j.lease IS NULL THEN 'open' ELSE j.state END
RETURN j.id AS id
