// Facts that some messages prove or ended, and facts that were closed since a time. A scene mentions both ends of each of its facts.
// Unique index memory_id.
// $tenant: str
// $scenes: list of scene ids
// $ids: list of message ids
// $since: datetime
// $rows_max: int
// -> id, statement, predicate, source, target, made_by, told_by, closed_by, closing_reason, invalid_at
UNWIND $scenes AS scene
MATCH (:Memory {tenant: $tenant, id: scene})-[:MENTIONED]->(n:Memory)
WITH DISTINCT n
MATCH (n)-[r:{{predicates}}]->(o:Memory)
WHERE r.tenant = $tenant
WITH n, r, o, [x IN coalesce(r.evidence, []) WHERE x IN $ids] AS made_by,
     [t IN coalesce(r.assertions, []) WHERE split(t, "|")[0] IN $ids] AS told_by
WHERE size(made_by) > 0 OR size(told_by) > 0 OR (r.closed_by IS NOT NULL AND r.closing_known_at >= $since)
RETURN r.id AS id, r.statement AS statement, type(r) AS predicate, n.id AS source, o.id AS target, made_by, told_by,
       r.closed_by AS closed_by, r.closing_reason AS closing_reason, r.invalid_at AS invalid_at
ORDER BY r.last_seen DESC, r.id
LIMIT $rows_max
