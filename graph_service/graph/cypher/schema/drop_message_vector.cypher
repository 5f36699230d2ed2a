// Drops the vector index message_vector, because another embedder takes over.
DROP INDEX message_vector IF EXISTS
