// Number changes and append them to the change log of a tenant. Locks the tenant until the commit: call it last.
// hot
// $tenant: str
// $user_id: str
// $at: datetime
// $rows: list of {op, element_id, body, reason}
// -> seq, written
MATCH (t:Tenant {id: $tenant})
SET t.seq = t.seq + size($rows)
WITH t.seq AS last, t.seq - size($rows) AS before
UNWIND range(0, size($rows) - 1) AS i
CREATE (c:Change {tenant: $tenant, seq: before + 1 + i, at: $at, user_id: $user_id})
SET c += $rows[i]
RETURN last AS seq, count(c) AS written
