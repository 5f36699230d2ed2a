// Facts that belong to the history of a fact: same subject, and same object or same single-valued relation. Oldest first.
// $tenant: str
// $subject_id: str
// $predicates: list of str
// $object_id: str
// $relation: str, or null when the relation is not single-valued
// $ids: list of str, facts to return in any case
// $rows_max: int
// -> edge, subject_id, subject, object_id, object, predicate
MATCH (a:Memory {tenant: $tenant, id: $subject_id})-[r:{{predicates}}]->(b:Memory)
WHERE r.tenant = $tenant AND (r.id IN $ids OR type(r) IN $predicates AND (b.id = $object_id OR r.relation = $relation))
RETURN r {.id, .uri, .statement, .relation, .confidence, .strength, .valid_at, .invalid_at, .known_at, .recorded_at,
          .closing_known_at, .closed_by, .closing_reason, .assertions, .evidence} AS edge,
       a.id AS subject_id, coalesce(a.name, a.user_id) AS subject, b.id AS object_id, coalesce(b.name, b.user_id) AS object,
       type(r) AS predicate
ORDER BY r.valid_at, r.id
LIMIT $rows_max
