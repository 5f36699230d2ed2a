// Entities and scenes of a memory as [id, name, user, kind]; one row of lists.
// Index memory_user. Lists, because the driver is slow with maps and there may be a hundred thousand.
// $tenant: str
// $users: list of user ids
// -> nodes, people
MATCH (n:Memory)
WHERE n.tenant = $tenant AND n.user_id IN $users AND {{not_correction n}}
RETURN collect(CASE WHEN n:Entity OR n:Scene THEN [n.id, n.name, n.user_id, CASE WHEN n:Scene THEN 1 ELSE 0 END] END) AS nodes,
       collect(CASE WHEN n:User THEN n.id END) AS people
