// One node of the mind map with what was merged into it; no row when the tenant has none with this id. Unique index memory_id.
// $tenant: str
// $id: str
// -> node, labels, merged
MATCH (n:Memory {tenant: $tenant, id: $id})
RETURN n {.id, .user_id, .name, .aliases, .attributes, .abstract, .overview, .first_seen, .last_seen} AS node, labels(n) AS labels,
       [(h:HeldEntity)-[:STANDS_FOR]->(n) WHERE h.id <> n.id | h {.id, .name}] AS merged
