// Reopen dead letters caused by an outage of an external service. Over all tenants on purpose: one worker serves them.
// $unavailable_service: str
// $jobs_max: int; the oldest failures first
// $now_ms: int
// -> jobs
MATCH (j:Job {unavailable_service: $unavailable_service}) WHERE j.state = 'dead'
WITH j ORDER BY j.failed_ms LIMIT $jobs_max
WITH j ORDER BY j.id
SET j.claims = CASE WHEN j.claims IS :: INTEGER NOT NULL THEN j.claims + 1 ELSE 1 END
WITH j WHERE j.state = 'dead'
SET j.state = 'open', j.open = true, j.attempts = 0, j.due_ms = $now_ms, j.unavailable_service = null
RETURN count(j) AS jobs
