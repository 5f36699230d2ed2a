// Mark every message as waiting for token vectors, in batches; its vector stays searchable meanwhile. Runs only after a change of the
// token model, over all tenants on purpose.
MATCH (m:Message) CALL (m) { SET m.unembedded = true REMOVE m.token_vectors } IN TRANSACTIONS OF 1000 ROWS
