// Number of nodes in the mind map of some users, counted up to $rows_max. One row; index memory_user.
// $tenant: str
// $users: list of user ids
// $rows_max: int
// -> nodes
MATCH (n:Memory)
WHERE n.tenant = $tenant AND n.user_id IN $users
WITH n LIMIT $rows_max
RETURN count(n) AS nodes
