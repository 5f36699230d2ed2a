// Some facts about a user or agent with all properties, most important first. Unique index memory_id.
// $tenant: str
// $id: str, the user or agent
// $facts: list of fact ids
// -> subject_uri, object, predicate, fact, zone
// zone: that of a message that proves the fact
MATCH (a:Memory {tenant: $tenant, id: $id})-[r:{{predicates}}]->(b:Memory)
WHERE r.tenant = $tenant AND r.id IN $facts
RETURN a.uri AS subject_uri, coalesce(b.name, b.user_id) AS object, type(r) AS predicate,
       r {.id, .relation, .statement, .kind, .importance, .base_strength, .confidence, .valid_at, .last_seen} AS fact,
       head(COLLECT { MATCH (m:Message {tenant: $tenant, id: head(r.evidence)}) RETURN m.zone }) AS zone
ORDER BY r.importance DESC, r.confidence DESC, r.last_seen DESC, r.id
