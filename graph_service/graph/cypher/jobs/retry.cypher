// Reopen dead letters of one tenant.
// $tenant: str
// $ids: list of str or null; null: all of the tenant's
// $now_ms: int
// -> id
MATCH (j:Job {tenant: $tenant, state: 'dead'}) WHERE $ids IS NULL OR j.id IN $ids
WITH j ORDER BY j.id
SET j.claims = CASE WHEN j.claims IS :: INTEGER NOT NULL THEN j.claims + 1 ELSE 1 END
WITH j WHERE j.state = 'dead'
SET j.state = 'open', j.open = true, j.attempts = 0, j.due_ms = $now_ms, j.unavailable_service = null, j.too_slow = null
RETURN j.id AS id
