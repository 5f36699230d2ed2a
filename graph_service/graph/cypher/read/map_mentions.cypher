// What some scenes mention, the newest scene first. Unique index memory_id.
// Moments are microseconds since 1970: the driver takes ten times as long for dates.
// $tenant: str
// $scenes: list of scene ids
// $rows_max: int
// -> edge, source, target, predicate
UNWIND $scenes AS scene
MATCH (s:Memory {tenant: $tenant, id: scene})-[r:MENTIONED]->(o:Memory)
WITH s, r, o, size(coalesce(r.evidence, [])) AS evidence_n
ORDER BY s.last_seen DESC, s.id, r.strength DESC, r.id
LIMIT $rows_max
RETURN r {.id, .user_id, .relation, .strength, .confidence, evidence_n: evidence_n,
          first_seen: r.first_seen.epochSeconds * 1000000 + r.first_seen.microsecond,
          last_seen: r.last_seen.epochSeconds * 1000000 + r.last_seen.microsecond,
          valid_at: r.valid_at.epochSeconds * 1000000 + r.valid_at.microsecond,
          invalid_at: r.invalid_at.epochSeconds * 1000000 + r.invalid_at.microsecond} AS edge,
       s.id AS source, o.id AS target, type(r) AS predicate
