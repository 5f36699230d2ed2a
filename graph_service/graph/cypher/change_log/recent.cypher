// Changes before a sequence number, newest first, without mentions and forgotten elements.
// Unique index change_seq. `at` is microseconds since 1970: dates take the driver ten times as long.
// $tenant: str
// $user_id: str, or null for everybody in the tenant
// $before: int
// $since: datetime, or null
// $rows_max: int
// -> seq, at, user_id, op, element_id, body, reason
MATCH (c:Change)
WHERE c.tenant = $tenant AND c.seq < $before AND ($user_id IS NULL OR c.user_id = $user_id)
  AND ($since IS NULL OR c.at >= $since) AND c.reason <> 'forgotten' AND NOT c.reason IN ['named in a scene', 'spoke in a scene']
RETURN c.seq AS seq, c.at.epochSeconds * 1000000 + c.at.microsecond AS at, c.user_id AS user_id, c.op AS op,
       c.element_id AS element_id, c.body AS body, c.reason AS reason
ORDER BY c.seq DESC
LIMIT $rows_max
