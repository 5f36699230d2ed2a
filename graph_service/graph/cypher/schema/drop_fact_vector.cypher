// Drop the vector index fact_vector, because the embedder changed.
DROP INDEX fact_vector IF EXISTS
