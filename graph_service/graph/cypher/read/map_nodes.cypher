// Nodes of some users: users first, then scenes, then everything else, the newest first within each. Index memory_user.
// $tenant: str
// $users: list of user ids
// $rows_max: int
// -> id, is_user, is_scene
MATCH (n:Memory)
WHERE n.tenant = $tenant AND n.user_id IN $users
WITH n
ORDER BY CASE WHEN n:User THEN 0 WHEN n:Scene THEN 1 ELSE 2 END, n.last_seen DESC, n.id
LIMIT $rows_max
RETURN n.id AS id, n:User AS is_user, n:Scene AS is_scene
