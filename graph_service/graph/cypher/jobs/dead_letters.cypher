// Work of one tenant that was given up, the latest first.
// $tenant: str
// $rows_max: int
// -> id, kind, user_id, session_id, error, attempts, failed_ms, away
MATCH (j:Job {tenant: $tenant, state: 'dead'})
WITH j ORDER BY j.failed_ms DESC, j.id LIMIT $rows_max
OPTIONAL MATCH (s:Session {tenant: $tenant, id: j.session})
RETURN j.id AS id, j.kind AS kind, s.user_id AS user_id, s.session_id AS session_id, j.error AS error, j.attempts AS attempts,
       j.failed_ms AS failed_ms, j.away AS away
