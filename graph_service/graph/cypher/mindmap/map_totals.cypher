// Numbers of nodes by user and kind, and of valid facts by subject (null: a thing), predicate, relation and sort of object, and
// of the disliked by whether their statement matches $avoided.
// Reads at most $rows_max relationships. Index memory_user.
// $tenant: str
// $users: list of user ids
// $rows_max: int
// $disliked: list of predicates
// $avoided: str
// $unsure_below: float
// -> user_id, subject, label, entity_type, predicate, relation, kind, avoided, n, past, unsure, read
CALL () {
  MATCH (m:Memory)
  WHERE m.tenant = $tenant AND m.user_id IN $users AND {{not_correction m}}
  RETURN m.user_id AS user_id, null AS subject, head([label IN labels(m) WHERE label <> 'Memory']) AS label,
         null AS entity_type, null AS predicate, null AS relation, null AS kind, false AS avoided, count(m) AS n,
         0 AS past, 0 AS unsure, 0 AS read
 UNION ALL
  MATCH (s:Memory)
  WHERE s.tenant = $tenant AND s.user_id IN $users AND NOT s:Scene
  MATCH (s)-[r:{{predicates}}]->(o:Memory)
  WITH s, r, o, s:User OR s:Agent AS about_person
  LIMIT $rows_max
  WITH CASE WHEN about_person THEN s.id END AS subject, type(r) AS predicate,
       CASE WHEN about_person THEN r.relation END AS relation, CASE WHEN about_person THEN r.kind END AS kind,
       CASE WHEN about_person THEN head([label IN labels(o) WHERE label <> 'Memory']) END AS label,
       CASE WHEN about_person THEN o.entity_type END AS entity_type,
       about_person AND type(r) IN $disliked AND coalesce(r.statement, '') =~ $avoided AS avoided,
       {{current r}} AS valid, r.confidence < $unsure_below AS unsure,
       r.valid_at < r.invalid_at OR r.known_at = r.closing_known_at AS held
  WITH subject, predicate, relation, kind, label, entity_type, avoided,
       count(CASE WHEN valid THEN 1 END) AS n, count(CASE WHEN NOT valid AND held THEN 1 END) AS past,
       count(CASE WHEN valid AND unsure THEN 1 END) AS unsure, count(*) AS read
  RETURN null AS user_id, subject, label, entity_type, predicate, relation, kind, avoided, n, past, unsure, read
}
RETURN user_id, subject, label, entity_type, predicate, relation, kind, avoided, n, past, unsure, read
