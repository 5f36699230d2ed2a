// Takes the words out of a stretch of the change log where it tells of one user: of everything it says that it is gone. Numbers stay.
// $tenant: str
// $user_id: str
// $after: int
// $rows_max: int
// $reason: str
// -> last
// last: the number of the last change looked at; null after the end.
MATCH (c:Change {tenant: $tenant}) WHERE c.seq > $after
WITH c ORDER BY c.seq LIMIT $rows_max
FOREACH (_ IN CASE WHEN c.user_id = $user_id THEN [1] ELSE [] END |
  SET c.op = left(c.op, 4) + '-', c.body = null, c.reason = $reason)
RETURN max(c.seq) AS last
