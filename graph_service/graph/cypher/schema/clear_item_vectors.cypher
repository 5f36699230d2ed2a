// Mark every item with text as waiting for a vector, in batches. Runs only after a change of embedder, over all tenants on purpose.
MATCH (i:Item) WHERE i.text IS NOT NULL CALL (i) { SET i.unembedded = true REMOVE i.embedding } IN TRANSACTIONS OF 1000 ROWS
