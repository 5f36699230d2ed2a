// The top facts of some users as of a time: valid before ended, then as in map_facts, with the head of the change log. Index memory_user.
// One row of lists, in the order of map_facts.
// $tenant: str
// $users: list of user ids
// $valid_at: datetime; only facts that had started by then
// $known_at: datetime; only facts known by then; null: all
// $closed: bool; include ended facts
// $rows_max: int
// -> epoch, seq, edges
OPTIONAL MATCH (t:Tenant {id: $tenant})
WITH coalesce(t.epoch, '') AS epoch, coalesce(t.seq, 0) AS seq
CALL () {
  MATCH (s:Memory)
  WHERE s.tenant = $tenant AND s.user_id IN $users
  MATCH (s)-[r]->(o:Memory)
  WHERE type(r) <> 'MENTIONED' AND r.tenant = $tenant AND {{begun r}}
  WITH s, r, o, size(coalesce(r.evidence, [])) AS evidence_n,
       CASE WHEN {{open r}} THEN 0 ELSE 1 END AS over
  WHERE $closed OR over = 0
  WITH s, r, o, evidence_n, over ORDER BY over, r.strength DESC, r.last_seen DESC, evidence_n DESC, r.id
  LIMIT $rows_max
  RETURN collect([{{map_edge r}}]) AS edges
}
RETURN epoch, seq, edges
