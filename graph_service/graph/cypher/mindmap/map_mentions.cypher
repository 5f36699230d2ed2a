// Mentions of some scenes, newest scene first. Unique index memory_id.
// One row of lists, times as microseconds since 1970: rows of maps with dates take the driver five times as long.
// $tenant: str
// $scenes: list of scene ids
// $rows_max: int
// -> edges
UNWIND $scenes AS scene
MATCH (s:Memory {tenant: $tenant, id: scene})-[r:MENTIONED]->(o:Memory)
WITH s, r, o, size(coalesce(r.evidence, [])) AS evidence_n
ORDER BY s.last_seen DESC, s.id, r.strength DESC, r.id
LIMIT $rows_max
RETURN collect([
  r.id, s.id, o.id, type(r), r.user_id, r.relation, r.strength, r.confidence, evidence_n,
  r.first_seen.epochSeconds * 1000000 + r.first_seen.microsecond,
  r.last_seen.epochSeconds * 1000000 + r.last_seen.microsecond,
  r.valid_at.epochSeconds * 1000000 + r.valid_at.microsecond,
  r.invalid_at.epochSeconds * 1000000 + r.invalid_at.microsecond,
  coalesce(r.known_at, r.recorded_at).epochSeconds * 1000000 + coalesce(r.known_at, r.recorded_at).microsecond,
  r.closing_known_at.epochSeconds * 1000000 + r.closing_known_at.microsecond,
  r.kind, r.statement
]) AS edges
