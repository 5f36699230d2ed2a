// Takes the words out of what the log says of elements: of those that are gone it says so, of others what they are now. Numbers stay.
// $tenant: str
// $rows: list of {id, op, body}
// $reason: str
// -> changes
UNWIND $rows AS row
MATCH (c:Change {tenant: $tenant, element_id: row.id})
SET c.op = CASE WHEN c.op ENDS WITH '-' THEN c.op ELSE row.op END,
    c.body = CASE WHEN c.op ENDS WITH '-' THEN null ELSE row.body END, c.reason = $reason
RETURN count(c) AS changes
