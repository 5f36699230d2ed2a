// Nodes by id. Unique index memory_id.
// One row of lists, times as microseconds since 1970: rows of maps with dates take the driver five times as long.
// hot
// $tenant: str
// $ids: list of node ids
// -> nodes
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
RETURN collect([
  n.id, head([label IN labels(n) WHERE label <> 'Memory']), n.user_id, n.name, n.entity_type, n.aliases, n.abstract,
  n.importance, n.evidence_n,
  n.first_seen.epochSeconds * 1000000 + n.first_seen.microsecond,
  n.last_seen.epochSeconds * 1000000 + n.last_seen.microsecond
]) AS nodes
