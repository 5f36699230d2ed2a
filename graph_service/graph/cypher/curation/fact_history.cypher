// Facts in the history of a fact: those of the same subject with the same object or attribute, and those that closed it or that it
// closed. Earliest start first.
// $tenant: str
// $subject_id: str
// $predicates: list of str
// $object_id: str
// $attributes: list of labels of the attribute
// $ids: list of str, facts to return in any case
// $rows_max: int
// -> subject_id, object_id, predicate, properties, subject, object
MATCH (a:Memory {tenant: $tenant, id: $subject_id})-[r:{{predicates}}]->(b:Memory)
WHERE r.tenant = $tenant AND (r.id IN $ids OR r.closed_by IN $ids OR type(r) IN $predicates AND (b.id = $object_id OR r.attribute IN $attributes))
RETURN a.id AS subject_id, b.id AS object_id, type(r) AS predicate, r {.*, embedding: null} AS properties,
       a {.name, .user_id, .entity_type, labels: labels(a)} AS subject, b {.name, .user_id, .entity_type, labels: labels(b)} AS object
ORDER BY r.valid_at, r.id
LIMIT $rows_max
