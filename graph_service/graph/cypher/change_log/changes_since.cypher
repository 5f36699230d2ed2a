// Changes after a sequence number, in order. At most $rows_max rows; unique index change_seq.
// `at` is microseconds since 1970: dates take the driver ten times as long.
// $tenant: str
// $seq: int
// $rows_max: int
// -> seq, at, user_id, op, element_id, body, reason
// hot
MATCH (c:Change)
WHERE c.tenant = $tenant AND c.seq > $seq
RETURN c.seq AS seq, c.at.epochSeconds * 1000000 + c.at.microsecond AS at, c.user_id AS user_id, c.op AS op, c.element_id AS element_id, c.body AS body, c.reason AS reason
ORDER BY c.seq
LIMIT $rows_max
