// Marks every message as waiting for token vectors, in batches; its vector stays and is found meanwhile. Runs only when another
// model makes token vectors, over all tenants on purpose.
MATCH (m:Message) CALL (m) { SET m.unembedded = true REMOVE m.token_vectors } IN TRANSACTIONS OF 1000 ROWS
