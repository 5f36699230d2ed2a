// Delete a batch of a user's nodes of the mind map, the user last. Index memory_user.
// $tenant: str
// $user_id: str
// $rows_max: int
// -> id
MATCH (n:Memory {tenant: $tenant, user_id: $user_id})
WITH n ORDER BY CASE WHEN n:User THEN 1 ELSE 0 END LIMIT $rows_max
WITH n, n.id AS id
DETACH DELETE n
RETURN id
