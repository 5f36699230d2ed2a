// Drop the vector index scene_abstract_vector, because the embedder changed.
DROP INDEX scene_abstract_vector IF EXISTS
