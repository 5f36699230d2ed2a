// Currently valid facts that share words with new facts of the same subject, or say something similar, for a model that judges the new
// ones. Paraphrases and other languages share no words; the vector index finds them.
// hot
// $tenant: str
// $user_id: str
// $lookups: list of {number, subject_id, predicates, query: Lucene, scoped to tenant and user; vector: list of float, or null}
// $index_rows: int, rows of each index for each
// $score_min: float, score of the vector index from which a fact is similar
// -> number, score, subject_id, object_id, object_name, predicate, properties
// The score is that of the vector index, 0 for facts found by words only.
UNWIND $lookups AS lookup
CALL (lookup) {
  CALL db.index.fulltext.queryRelationships('fact_words', lookup.query, {limit: $index_rows}) YIELD relationship AS r
  RETURN r, 0.0 AS score
 UNION ALL
  WITH lookup.vector AS v WHERE v IS NOT NULL
  MATCH ()-[r:{{predicates}}]->()
    SEARCH r IN (VECTOR INDEX fact_vector FOR v WHERE r.tenant = $tenant AND r.user_id = $user_id LIMIT $index_rows) SCORE AS score
  WHERE score >= $score_min
  RETURN r, score
}
WITH lookup, r, max(score) AS score
WHERE r.tenant = $tenant AND r.user_id = $user_id AND r.merged IS NULL AND {{current r}}
  AND type(r) IN lookup.predicates AND startNode(r).id = lookup.subject_id
RETURN lookup.number AS number, score, startNode(r).id AS subject_id, endNode(r).id AS object_id, endNode(r).name AS object_name, type(r) AS predicate, r {.*, embedding: null} AS properties
