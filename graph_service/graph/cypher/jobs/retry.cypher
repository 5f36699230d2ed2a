// Has given up work of one tenant done again.
// $tenant: str
// $ids: list of str or null; null means all of it
// $now_ms: int
// -> id
MATCH (j:Job {tenant: $tenant, state: 'dead'}) WHERE $ids IS NULL OR j.id IN $ids
WITH j ORDER BY j.id
SET j.claims = coalesce(j.claims, 0) + 1
WITH j WHERE j.state = 'dead'
SET j.state = 'open', j.open = true, j.attempts = 0, j.due_ms = $now_ms, j.away = null, j.too_slow = null
RETURN j.id AS id
