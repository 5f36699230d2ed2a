// Mark every fact as waiting for a vector, in batches; the session of its first evidence embeds it. Runs only when the embedder
// or the set of vector indexes changed; over all tenants on purpose.
MATCH ()-[r:{{predicates}}]->() WHERE r.statement <> ''
CALL (r) {
  OPTIONAL MATCH (m:Message {tenant: r.tenant, id: head(r.evidence)})
  SET r.unembedded_in = m.session_id
  REMOVE r.embedding
} IN TRANSACTIONS OF 1000 ROWS
