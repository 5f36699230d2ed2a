// Drops the vector index scene_overview_vector, because another embedder takes over.
DROP INDEX scene_overview_vector IF EXISTS
