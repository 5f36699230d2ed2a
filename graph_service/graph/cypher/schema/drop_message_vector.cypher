// Drop the vector index message_vector, because the embedder changed.
DROP INDEX message_vector IF EXISTS
