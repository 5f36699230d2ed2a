// Delete a batch of a user's items. Index item_user.
// $tenant: str
// $user_id: str
// $rows_max: int
// -> items
MATCH (i:Item {tenant: $tenant, user_id: $user_id})
WITH i LIMIT $rows_max
DELETE i
RETURN count(*) AS items
