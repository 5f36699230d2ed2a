// Open facts of one user's memory that no person corrected, most important first, with what decides whether to ask about them.
// Index memory_user. Facts of merged entities cannot be corrected.
// $tenant: str
// $user_id: str
// $rows_max: int
// -> id, statement, predicate, relation, attribute, strength, confidence, importance, valid_at, first_seen, last_seen, evidence_n, access_n, subject_id, subject, object_id, object
MATCH (a:Memory {tenant: $tenant, user_id: $user_id})-[r:{{predicates}}]->(b:Memory)
WHERE r.tenant = $tenant AND {{current r}} AND r.merged IS NULL AND coalesce(size(r.corrections), 0) = 0
  AND type(r) <> 'CAUSED_BY' AND NOT a:Scene AND NOT b:Scene AND a.merged IS NULL AND b.merged IS NULL
WITH a, r, b ORDER BY r.importance DESC, r.last_seen, r.id LIMIT $rows_max
RETURN r.id AS id, r.statement AS statement, type(r) AS predicate, r.relation AS relation, r.attribute AS attribute, r.strength AS strength,
       r.confidence AS confidence, r.importance AS importance, r.valid_at AS valid_at, r.first_seen AS first_seen, r.last_seen AS last_seen,
       size(r.evidence) AS evidence_n, coalesce(r.access_n, 0) AS access_n, a.id AS subject_id, coalesce(a.name, a.user_id) AS subject,
       b.id AS object_id, coalesce(b.name, b.user_id) AS object
