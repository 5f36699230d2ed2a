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
RETURN collect([{{map_edge r}}]) AS edges
