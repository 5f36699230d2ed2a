// What some scenes mention, the newest scene first. Unique index memory_id.
// $tenant: str
// $scenes: list of scene ids
// $rows_max: int
// -> edge, source, target, predicate
UNWIND $scenes AS scene
MATCH (s:Memory {tenant: $tenant, id: scene})-[r:MENTIONED]->(o:Memory)
WITH s, r, o, size(coalesce(r.evidence, [])) AS evidence_n
ORDER BY s.last_seen DESC, s.id, r.strength DESC, r.id
LIMIT $rows_max
RETURN r {.id, .user_id, .relation, .strength, .confidence, .first_seen, .last_seen, .valid_at, .invalid_at, evidence_n: evidence_n} AS edge,
       s.id AS source, o.id AS target, type(r) AS predicate
