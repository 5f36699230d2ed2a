// Causes of some nodes: open ones before ended ones, strongest first. Unique index memory_id.
// hot
// $tenant: str
// $user_id: str, or null for everybody in the tenant
// $ids: list of node ids
// $rows_max: int, causes of each
// -> source, target
UNWIND $ids AS id
MATCH (a:Memory {tenant: $tenant, id: id})
WHERE $user_id IS NULL OR a.user_id = $user_id
CALL (a) {
  MATCH (a)-[r:CAUSED_BY]->(b:Memory)
  WHERE r.tenant = $tenant AND ($user_id IS NULL OR b.user_id = $user_id)
  RETURN b, min(CASE WHEN {{current r}} THEN 0 ELSE 1 END) AS over, max(r.strength) AS strength
  ORDER BY over, strength DESC, b.id
  LIMIT $rows_max
}
RETURN a.id AS source, b.id AS target
