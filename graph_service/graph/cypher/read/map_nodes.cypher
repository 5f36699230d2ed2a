// Nodes of some users: users first, then scenes, then everything else, the newest first within each. Index memory_user.
// $tenant: str
// $users: list of user ids
// $rows_max: int
// -> node, labels
MATCH (n:Memory)
WHERE n.tenant = $tenant AND n.user_id IN $users
WITH n
ORDER BY CASE WHEN n:User THEN 0 WHEN n:Scene THEN 1 ELSE 2 END, n.last_seen DESC, n.id
LIMIT $rows_max
RETURN n {.id, .user_id, .name, .entity_type, .aliases, .abstract, .importance, .first_seen, .last_seen, .evidence_n} AS node,
       labels(n) AS labels
