// Nodes by id. Unique index memory_id.
// $tenant: str
// $ids: list of node ids
// -> node, labels
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
RETURN n {.id, .user_id, .name, .entity_type, .aliases, .abstract, .importance, .first_seen, .last_seen, .evidence_n} AS node,
       labels(n) AS labels
