// One node of the mind map; no row when the tenant has none with this id. Unique index memory_id.
// $tenant: str
// $id: str
// -> node, labels
MATCH (n:Memory {tenant: $tenant, id: $id})
RETURN n {.id, .user_id, .name, .aliases, .attributes, .abstract, .overview, .first_seen, .last_seen} AS node, labels(n) AS labels
