// The shortest paths between two nodes, as ids of nodes from one end to the other; no row when nothing leads there.
// With $over_beings false no user or agent lies between: they are tied to everything, so such a path says little.
// Unique index memory_id.
// hot
// $tenant: str
// $user_id: str, or null for everybody in the tenant
// $source: str
// $target: str
// $over_beings: bool
// $rows_max: int
// -> ids
MATCH (a:Memory {tenant: $tenant, id: $source}), (b:Memory {tenant: $tenant, id: $target})
WHERE a <> b AND ($user_id IS NULL OR a.user_id = $user_id AND b.user_id = $user_id)
MATCH path = allShortestPaths((a)-[:PREFERS|DISLIKES|CARES_ABOUT|RELATES_TO|CAUSED_BY|MENTIONED*..8]-(b))
WHERE all(n IN nodes(path) WHERE n.tenant = $tenant AND ($user_id IS NULL OR n.user_id = $user_id)
  AND ($over_beings OR n = a OR n = b OR NOT (n:User OR n:Agent)))
WITH path, reduce(sum = 0.0, r IN relationships(path) | sum + CASE WHEN type(r) = 'MENTIONED' THEN 0.0 WHEN r.invalid_at IS NULL THEN 1 + r.strength ELSE 0.5 END) AS weight
WITH [n IN nodes(path) | n.id] AS ids, max(weight) AS weight
RETURN ids
ORDER BY weight DESC, ids
LIMIT $rows_max
