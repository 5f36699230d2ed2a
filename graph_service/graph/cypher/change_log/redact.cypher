// Replace the texts of older changes by the current state of the element, or drop them if it was deleted. Sequence numbers stay.
// $tenant: str
// $rows: list of {op, element_id, body, reason}
// -> changes
UNWIND $rows AS row
MATCH (c:Change {tenant: $tenant, element_id: row.element_id})
SET c.op = CASE WHEN c.op ENDS WITH '-' THEN c.op ELSE row.op END,
    c.body = CASE WHEN c.op ENDS WITH '-' THEN null ELSE row.body END, c.reason = row.reason
RETURN count(c) AS changes
