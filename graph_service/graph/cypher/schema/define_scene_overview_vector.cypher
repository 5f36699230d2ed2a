// The vector index over scene overviews (L1); tenant, user and time are filters inside it. Not quantised, as message_vector.
// $options: map with indexConfig
CREATE VECTOR INDEX scene_overview_vector IF NOT EXISTS FOR (n:Scene) ON n.overview_embedding WITH [n.tenant, n.user_id, n.start_ms] OPTIONS $options
