// Valid facts about some users or agents, with few properties: there may be thousands. Unique index memory_id.
// One row of lists each, times as microseconds since 1970: maps with dates take the driver far longer.
// $tenant: str
// $ids: list of node ids
// $valid_at: datetime; only facts valid at this time
// $known_at: datetime, transaction time: only what was known then; null: all
// -> subject_id, facts
UNWIND $ids AS id
MATCH (a:Memory {tenant: $tenant, id: id})-[r:{{predicates}}]->(b:Memory)
WHERE r.tenant = $tenant AND {{holds r}}
RETURN a.id AS subject_id, collect([
  r.id, type(r), r.relation, b.id, r.kind, r.importance, r.confidence,
  r.first_seen.epochSeconds * 1000000 + r.first_seen.microsecond, r.last_seen.epochSeconds * 1000000 + r.last_seen.microsecond,
  r.profile_exclusion
]) AS facts
