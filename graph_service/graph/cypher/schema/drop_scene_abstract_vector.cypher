// Drops the vector index scene_abstract_vector, because another embedder takes over.
DROP INDEX scene_abstract_vector IF EXISTS
