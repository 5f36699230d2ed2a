// Currently valid facts that share words with new facts of the same subject, for a model that judges the new ones.
// hot
// $tenant: str
// $user_id: str
// $asks: list of {subject_id, predicates, query: Lucene, scoped to tenant and user}
// $wide: int, rows of the index for each
// -> subject_id, object_id, object_name, predicate, properties
UNWIND $asks AS ask
CALL (ask) {
  CALL db.index.fulltext.queryRelationships('fact_words', ask.query, {limit: $wide}) YIELD relationship AS r
  WHERE r.tenant = $tenant AND r.user_id = $user_id AND r.merged IS NULL AND r.invalid_at IS NULL
    AND type(r) IN ask.predicates AND startNode(r).id = ask.subject_id
  RETURN r
}
WITH DISTINCT r
RETURN startNode(r).id AS subject_id, endNode(r).id AS object_id, endNode(r).name AS object_name, type(r) AS predicate, r {.*, embedding: null} AS properties
