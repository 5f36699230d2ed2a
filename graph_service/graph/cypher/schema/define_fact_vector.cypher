// The vector index over statements of facts; tenant and user are filters inside it. Not quantised, as message_vector.
// $options: map with indexConfig
CREATE VECTOR INDEX fact_vector IF NOT EXISTS FOR ()-[r:{{predicates}}]-() ON r.embedding WITH [r.tenant, r.user_id] OPTIONS $options
