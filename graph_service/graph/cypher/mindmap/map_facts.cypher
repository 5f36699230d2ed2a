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
RETURN collect([{{map_edge r}}]) AS edges
