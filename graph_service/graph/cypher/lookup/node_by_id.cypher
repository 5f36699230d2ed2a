// One node of the mind map with the entities merged into it; no row if there is none. Unique index memory_id.
// $tenant: str
// $id: str
// -> node, labels, merged
MATCH (n:Memory {tenant: $tenant, id: $id})
RETURN n {.id, .user_id, .name, .aliases, .attributes, .abstract, .overview, .first_seen, .last_seen} AS node, labels(n) AS labels,
       [(h:MemberEntity)-[:MEMBER_OF]->(n) WHERE h.id <> n.id | h {.id, .name}] AS merged
