// The top facts of some users: open before ended, then by strength, recency and evidence.
// Between two Memory nodes there are only facts and mentions; mentions come with their scenes (map_mentions). Index memory_user.
// One row of lists, times as microseconds since 1970: rows of maps with dates take the driver five times as long.
// $tenant: str
// $users: list of user ids
// $rows_max: int
// -> edges
MATCH (s:Memory)
WHERE s.tenant = $tenant AND s.user_id IN $users
MATCH (s)-[r]->(o:Memory)
WHERE type(r) <> 'MENTIONED' AND r.tenant = $tenant
WITH s, r, o, size(coalesce(r.evidence, [])) AS evidence_n
ORDER BY CASE WHEN {{current r}} THEN 0 ELSE 1 END, r.strength DESC, r.last_seen DESC, evidence_n DESC, r.id
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
