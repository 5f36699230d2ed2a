// Mark every scene as waiting for vectors, in batches. Runs only after a change of embedder, over all tenants on purpose.
MATCH (s:Scene) CALL (s) { SET s.unembedded = true REMOVE s.abstract_embedding, s.overview_embedding } IN TRANSACTIONS OF 1000 ROWS
