// The most telling facts of some users: those that hold before closed ones, then by strength, recency and evidence.
// Between two Memory nodes there are edges of knowledge only; mentions come with their scenes (map_mentions). Index memory_user.
// Moments are microseconds since 1970: the driver takes ten times as long for dates.
// $tenant: str
// $users: list of user ids
// $rows_max: int
// -> edge, source, target, predicate
MATCH (s:Memory)
WHERE s.tenant = $tenant AND s.user_id IN $users
MATCH (s)-[r]->(o:Memory)
WHERE type(r) <> 'MENTIONED' AND r.tenant = $tenant
WITH s, r, o, size(coalesce(r.evidence, [])) AS evidence_n
ORDER BY CASE WHEN r.invalid_at IS NULL THEN 0 ELSE 1 END, r.strength DESC, r.last_seen DESC, evidence_n DESC, r.id
LIMIT $rows_max
RETURN r {.id, .user_id, .relation, .strength, .confidence, evidence_n: evidence_n,
          first_seen: r.first_seen.epochSeconds * 1000000 + r.first_seen.microsecond,
          last_seen: r.last_seen.epochSeconds * 1000000 + r.last_seen.microsecond,
          valid_at: r.valid_at.epochSeconds * 1000000 + r.valid_at.microsecond,
          invalid_at: r.invalid_at.epochSeconds * 1000000 + r.invalid_at.microsecond} AS edge,
       s.id AS source, o.id AS target, type(r) AS predicate
