// Entities of one user, most recently mentioned first, with the ids of the entities merged into each. Index memory_user.
// $tenant: str
// $user_id: str
// $last_us: int or null; microseconds since 1970; with $after: only those after this position
// $after: str or null; its id
// $rows_max: int
// -> id, name, aliases, entity_type, last_seen, merged
MATCH (e:Memory:Entity) WHERE e.tenant = $tenant AND e.user_id = $user_id
WITH e, e.last_seen.epochSeconds * 1000000 + e.last_seen.microsecond AS last_us
WHERE $after IS NULL OR last_us < $last_us OR (last_us = $last_us AND e.id > $after)
WITH e ORDER BY e.last_seen DESC, e.id LIMIT $rows_max
OPTIONAL MATCH (h:MemberEntity)-[:MEMBER_OF]->(e) WHERE h.id <> e.id
WITH e, h ORDER BY h.id
RETURN e.id AS id, e.name AS name, coalesce(e.aliases, []) AS aliases, e.entity_type AS entity_type, e.last_seen AS last_seen,
       collect(h.id) AS merged
ORDER BY last_seen DESC, id
