// Ids of what is tied to a node, the best tied first: by facts that hold, then closed ones, then mentions. One row, none without the node.
// Unique index memory_id.
// hot
// $tenant: str
// $user_id: str, or null for everybody in the tenant
// $id: str
// $rows_max: int
// -> ids, total
MATCH (n:Memory {tenant: $tenant, id: $id})
WHERE $user_id IS NULL OR n.user_id = $user_id
CALL (n) {
  OPTIONAL MATCH (n)-[r]-(o:Memory)
  WHERE r.tenant = $tenant AND ($user_id IS NULL OR o.user_id = $user_id)
  WITH o, min(CASE WHEN type(r) = 'MENTIONED' THEN 2 WHEN r.invalid_at IS NULL THEN 0 ELSE 1 END) AS standing, max(r.strength) AS strength
  ORDER BY standing, strength DESC, o.last_seen DESC, o.id
  RETURN collect(o.id) AS near
}
RETURN near[..$rows_max] AS ids, size(near) AS total
