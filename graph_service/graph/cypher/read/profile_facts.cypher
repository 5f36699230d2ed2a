// Facts that hold about some users or agents, the most important first. Unique index memory_id.
// $tenant: str
// $ids: list of node ids
// $at: datetime
// -> subject_id, subject_uri, object_id, object, predicate, fact
UNWIND $ids AS id
MATCH (a:Memory {tenant: $tenant, id: id})-[r:PREFERS|DISLIKES|CARES_ABOUT|RELATES_TO|CAUSED_BY]->(b:Memory)
WHERE r.tenant = $tenant AND (r.invalid_at IS NULL OR r.invalid_at > $at)
RETURN a.id AS subject_id, a.uri AS subject_uri, b.id AS object_id, coalesce(b.name, b.user_id) AS object, type(r) AS predicate,
       r {.id, .relation, .statement, .kind, .importance, .base_strength, .confidence, .first_seen, .last_seen, .valid_at,
          .profile_out} AS fact
ORDER BY r.importance DESC, r.confidence DESC, r.last_seen DESC, r.id
