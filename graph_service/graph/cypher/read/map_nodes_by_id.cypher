// Nodes by id. Unique index memory_id.
// Moments are microseconds since 1970: the driver takes ten times as long for dates.
// $tenant: str
// $ids: list of node ids
// -> node, kind
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
RETURN n {.id, .user_id, .name, .entity_type, .aliases, .abstract, .importance, .evidence_n,
          first_seen: n.first_seen.epochSeconds * 1000000 + n.first_seen.microsecond,
          last_seen: n.last_seen.epochSeconds * 1000000 + n.last_seen.microsecond} AS node,
       head([label IN labels(n) WHERE label <> 'Memory']) AS kind
