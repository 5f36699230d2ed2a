// Delete a revoked API key. Keys belong to the operator, so there is no tenant filter.
// $id: str
// -> id
MATCH (k:AccessKey {id: $id})
WHERE k.revoked_at IS NOT NULL
WITH k, k.id AS id
DELETE k
RETURN id
