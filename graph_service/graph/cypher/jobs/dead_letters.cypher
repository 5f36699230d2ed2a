// Dead letters of one tenant, latest first.
// $tenant: str
// $failed_ms: int or null; with $after: only those after this position
// $after: str or null; its id
// $rows_max: int
// -> id, kind, user_id, session_id, error, attempts, failed_ms, unavailable_service
MATCH (j:Job {tenant: $tenant, state: 'dead'})
WITH j, coalesce(j.failed_ms, 0) AS failed_ms
WHERE $after IS NULL OR failed_ms < $failed_ms OR (failed_ms = $failed_ms AND j.id > $after)
WITH j, failed_ms ORDER BY failed_ms DESC, j.id LIMIT $rows_max
OPTIONAL MATCH (s:Session {tenant: $tenant, id: j.session})
RETURN j.id AS id, j.kind AS kind, s.user_id AS user_id, s.session_id AS session_id, j.error AS error, j.attempts AS attempts,
       failed_ms, j.unavailable_service AS unavailable_service
ORDER BY failed_ms DESC, id
