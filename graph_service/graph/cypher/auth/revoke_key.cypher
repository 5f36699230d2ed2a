// Revoke an API key for good; it stays in the list. Keys belong to the operator, so there is no tenant filter.
// $id: str
// $at: datetime
// -> id
MATCH (k:AccessKey {id: $id})
SET k.revoked_at = coalesce(k.revoked_at, $at)
RETURN k.id AS id
