// Takes an API key that was revoked out of the list. Keys are the operator's, of whatever tenant.
// $id: str
// -> id
MATCH (k:AccessKey {id: $id})
WHERE k.revoked_at IS NOT NULL
WITH k, k.id AS id
DELETE k
RETURN id
