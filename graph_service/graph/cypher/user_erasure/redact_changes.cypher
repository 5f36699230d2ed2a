// Redact a range of the change log for one user: every change becomes a deletion without text. Sequence numbers stay.
// $tenant: str
// $user_id: str
// $after: int
// $rows_max: int
// $reason: str
// -> last
// last: sequence number of the last change read; null after the end.
MATCH (c:Change {tenant: $tenant}) WHERE c.seq > $after
WITH c ORDER BY c.seq LIMIT $rows_max
FOREACH (_ IN CASE WHEN c.user_id = $user_id THEN [1] ELSE [] END |
  SET c.op = left(c.op, 4) + '-', c.body = null, c.reason = $reason)
RETURN max(c.seq) AS last
