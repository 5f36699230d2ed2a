// Facts that hold about some users or agents, as short as can be: there may be thousands. Unique index memory_id.
// One row of lists for each, moments as microseconds since 1970: as maps with dates the driver takes far longer.
// $tenant: str
// $ids: list of node ids
// $valid_at: datetime; facts that had begun by then and were not over
// $known_at: datetime or null; by what was known then. memory/holding.py says the same
// -> subject_id, facts
UNWIND $ids AS id
MATCH (a:Memory {tenant: $tenant, id: id})-[r:{{predicates}}]->(b:Memory)
WHERE r.tenant = $tenant AND {{holds r}}
RETURN a.id AS subject_id, collect([
  r.id, type(r), r.relation, b.id, r.kind, r.importance, r.base_strength, r.confidence,
  r.first_seen.epochSeconds * 1000000 + r.first_seen.microsecond, r.last_seen.epochSeconds * 1000000 + r.last_seen.microsecond,
  r.profile_out
]) AS facts
