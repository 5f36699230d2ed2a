// How many nodes the mind map of some users has. One row; index memory_user.
// $tenant: str
// $users: list of user ids
// -> nodes
MATCH (n:Memory)
WHERE n.tenant = $tenant AND n.user_id IN $users
RETURN count(n) AS nodes
