// Mark every message as waiting for a vector, in batches. Runs only after a change of embedder, over all tenants on purpose.
MATCH (m:Message) CALL (m) { SET m.unembedded = true REMOVE m.embedding, m.token_vectors } IN TRANSACTIONS OF 1000 ROWS
