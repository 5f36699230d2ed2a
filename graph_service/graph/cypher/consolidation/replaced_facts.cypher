// Facts of one user that callers may mean as replaced: named by id or URI, by their object, or by words of their statement.
// hot
// $tenant: str
// $user_id: str
// $asks: list of {subject_id, text, key: as of names, query: Lucene, scoped to tenant and user}
// $wide: int, rows of the index for each
// -> text, subject_id, object_id, object_name, predicate, properties
UNWIND $asks AS ask
CALL (ask) {
  MATCH (a:Memory {tenant: $tenant, id: ask.subject_id})-[r:{{predicates}}]->(b:Memory)
  WHERE r.tenant = $tenant AND r.user_id = $user_id AND r.merged IS NULL AND (r.id = ask.text OR r.uri = ask.text OR b.key = ask.key)
  RETURN r
  UNION
  CALL db.index.fulltext.queryRelationships('fact_words', ask.query, {limit: $wide}) YIELD relationship AS r
  WHERE r.tenant = $tenant AND r.user_id = $user_id AND r.merged IS NULL AND r.invalid_at IS NULL AND startNode(r).id = ask.subject_id
  RETURN r
}
WITH DISTINCT ask, r
RETURN ask.text AS text, startNode(r).id AS subject_id, endNode(r).id AS object_id, endNode(r).name AS object_name, type(r) AS predicate,
       r {.*, embedding: null} AS properties
