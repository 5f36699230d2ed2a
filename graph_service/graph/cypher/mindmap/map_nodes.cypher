// Ids of nodes of some users: users, then scenes, then others, newest first within each. Index memory_user.
// $tenant: str
// $users: list of user ids
// $rows_max: int
// -> users, scenes, others
MATCH (n:Memory)
WHERE n.tenant = $tenant AND n.user_id IN $users AND {{not_correction n}}
WITH n
ORDER BY CASE WHEN n:User THEN 0 WHEN n:Scene THEN 1 ELSE 2 END, n.last_seen DESC, n.id
LIMIT $rows_max
RETURN collect(CASE WHEN n:User THEN n.id END) AS users,
       collect(CASE WHEN n:Scene THEN n.id END) AS scenes,
       collect(CASE WHEN NOT n:User AND NOT n:Scene THEN n.id END) AS others
