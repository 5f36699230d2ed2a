// Drop the vector index scene_overview_vector, because the embedder changed.
DROP INDEX scene_overview_vector IF EXISTS
