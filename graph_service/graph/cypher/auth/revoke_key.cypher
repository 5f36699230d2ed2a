// Makes an API key good for nothing, for ever; it stays in the list. Keys are the operator's, of whatever tenant.
// $id: str
// $at: datetime
// -> id
MATCH (k:AccessKey {id: $id})
SET k.revoked_at = coalesce(k.revoked_at, $at)
RETURN k.id AS id
