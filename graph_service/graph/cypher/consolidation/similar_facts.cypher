// Currently valid facts that share words with new facts of the same subject, for a model that judges the new ones.
// hot
// $tenant: str
// $user_id: str
// $lookups: list of {subject_id, predicates, query: Lucene, scoped to tenant and user}
// $index_rows: int, rows of the index for each
// -> subject_id, object_id, object_name, predicate, properties
UNWIND $lookups AS lookup
CALL (lookup) {
  CALL db.index.fulltext.queryRelationships('fact_words', lookup.query, {limit: $index_rows}) YIELD relationship AS r
  WHERE r.tenant = $tenant AND r.user_id = $user_id AND r.merged IS NULL AND r.invalid_at IS NULL
    AND type(r) IN lookup.predicates AND startNode(r).id = lookup.subject_id
  RETURN r
}
WITH DISTINCT r
RETURN startNode(r).id AS subject_id, endNode(r).id AS object_id, endNode(r).name AS object_name, type(r) AS predicate, r {.*, embedding: null} AS properties
