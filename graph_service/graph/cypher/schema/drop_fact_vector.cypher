// Drops the vector index fact_vector, because another embedder takes over.
DROP INDEX fact_vector IF EXISTS
