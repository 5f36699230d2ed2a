// Marks every fact as waiting for a vector, in batches: the work of the session that proved it first. Runs only when the embedder
// changed, or a database of an older version has none yet; over all tenants on purpose.
MATCH ()-[r:{{predicates}}]->() WHERE r.statement <> ''
CALL (r) {
  OPTIONAL MATCH (m:Message {tenant: r.tenant, id: head(r.evidence)})
  SET r.unembedded_in = m.session_id
  REMOVE r.embedding
} IN TRANSACTIONS OF 1000 ROWS
