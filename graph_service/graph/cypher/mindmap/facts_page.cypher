// A page of the facts of each of some nodes as of a time, latest valid_at first, with both ends as in map_nodes_by_id. Unique index
// memory_id.
// $tenant: str
// $ids: list of node ids
// $valid_at: datetime; only facts that had started by then
// $known_at: datetime; only facts known by then; null: all
// $closed: bool; include ended facts
// $at: int or null; start in microseconds since 1970; with $id: only facts after this position
// $id: str or null; fact id
// $rows_max: int; for each node
// -> node_id, facts
UNWIND $ids AS node_id
MATCH (n:Memory {tenant: $tenant, id: node_id})
CALL (n) {
  MATCH (n)-[r]-(:Memory)
  WHERE type(r) <> 'MENTIONED' AND r.tenant = $tenant AND {{begun r}}
  WITH DISTINCT r, r.valid_at.epochSeconds * 1000000 + r.valid_at.microsecond AS at,
       {{open r}} AS open
  WHERE ($closed OR open) AND ($at IS NULL OR at < $at OR (at = $at AND r.id > $id))
  WITH r, at, open ORDER BY at DESC, r.id LIMIT $rows_max
  RETURN collect({{listed_fact r}}) AS facts
}
RETURN node_id, facts
