// Edges of which both ends are among some nodes: those that hold before closed ones, facts before mentions. Unique index memory_id.
// One row of lists, in the order of map_facts.
// hot
// $tenant: str
// $ids: list of node ids
// $rows_max: int
// -> edges
UNWIND $ids AS id
MATCH (s:Memory {tenant: $tenant, id: id})-[r]->(o:Memory)
WHERE r.tenant = $tenant AND o.id IN $ids
WITH s, r, o, size(coalesce(r.evidence, [])) AS evidence_n
ORDER BY CASE WHEN type(r) = 'MENTIONED' THEN 2 WHEN r.invalid_at IS NULL THEN 0 ELSE 1 END, r.strength DESC, r.last_seen DESC, r.id
LIMIT $rows_max
RETURN collect([
  r.id, s.id, o.id, type(r), r.user_id, r.relation, r.strength, r.confidence, evidence_n,
  r.first_seen.epochSeconds * 1000000 + r.first_seen.microsecond,
  r.last_seen.epochSeconds * 1000000 + r.last_seen.microsecond,
  r.valid_at.epochSeconds * 1000000 + r.valid_at.microsecond,
  r.invalid_at.epochSeconds * 1000000 + r.invalid_at.microsecond,
  coalesce(r.known_at, r.recorded_at).epochSeconds * 1000000 + coalesce(r.known_at, r.recorded_at).microsecond,
  r.closing_known_at.epochSeconds * 1000000 + r.closing_known_at.microsecond,
  r.kind
]) AS edges
