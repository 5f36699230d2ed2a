// The vector index over scene abstracts (L0); tenant, user and time are filters inside it. Not quantised, as message_vector.
// $options: map with indexConfig
CREATE VECTOR INDEX scene_abstract_vector IF NOT EXISTS FOR (n:Scene) ON n.abstract_embedding WITH [n.tenant, n.user_id, n.start_ms] OPTIONS $options
