// Facts of one user that callers may refer to as replaced: by id or URI, by their object, or by words of their statement.
// hot
// $tenant: str
// $user_id: str
// $lookups: list of {subject_id, text, key: as of names, query: Lucene, scoped to tenant and user}
// $index_rows: int, rows of the index for each
// -> text, subject_id, object_id, object_name, predicate, properties
UNWIND $lookups AS lookup
CALL (lookup) {
  MATCH (a:Memory {tenant: $tenant, id: lookup.subject_id})-[r:{{predicates}}]->(b:Memory)
  WHERE r.tenant = $tenant AND r.user_id = $user_id AND r.merged IS NULL AND (r.id = lookup.text OR r.uri = lookup.text OR b.key = lookup.key)
  RETURN r
  UNION
  CALL db.index.fulltext.queryRelationships('fact_words', lookup.query, {limit: $index_rows}) YIELD relationship AS r
  WHERE r.tenant = $tenant AND r.user_id = $user_id AND r.merged IS NULL AND {{current r}} AND startNode(r).id = lookup.subject_id
  RETURN r
}
WITH DISTINCT lookup, r
RETURN lookup.text AS text, startNode(r).id AS subject_id, endNode(r).id AS object_id, endNode(r).name AS object_name, type(r) AS predicate,
       r {.*, embedding: null} AS properties
