// Ids of the neighbours of a node: by valid facts, then by ended ones, then by mentions, with the head of the change log.
// One row, none without the node. Unique indexes memory_id, tenant_id.
// hot
// $tenant: str
// $user_id: str, or null for everybody in the tenant
// $id: str
// $valid_at: datetime; only facts that had started by then; null: all
// $known_at: datetime; only facts known by then; null: all
// $closed: bool; include ended facts
// $rows_max: int
// -> epoch, seq, ids, total
OPTIONAL MATCH (t:Tenant {id: $tenant})
WITH coalesce(t.epoch, '') AS epoch, coalesce(t.seq, 0) AS seq
MATCH (n:Memory {tenant: $tenant, id: $id})
WHERE $user_id IS NULL OR n.user_id = $user_id
CALL (n) {
  OPTIONAL MATCH (n)-[r]-(o:Memory)
  WHERE r.tenant = $tenant AND ($user_id IS NULL OR o.user_id = $user_id) AND {{not_correction o}}
    AND {{started r}}
    AND ($closed OR {{open r}})
  WITH o, min(CASE
      WHEN type(r) = 'MENTIONED' THEN 2
      WHEN {{open r}} THEN 0 ELSE 1 END) AS validity_rank, max(r.strength) AS strength
  ORDER BY validity_rank, strength DESC, o.last_seen DESC, o.id
  RETURN collect(o.id) AS near
}
RETURN epoch, seq, near[..$rows_max] AS ids, size(near) AS total
