// Marks every scene as waiting for vectors, in batches. Runs only when the embedder changed, over all tenants on purpose.
MATCH (s:Scene) CALL (s) { SET s.unembedded = true REMOVE s.abstract_embedding, s.overview_embedding } IN TRANSACTIONS OF 1000 ROWS
