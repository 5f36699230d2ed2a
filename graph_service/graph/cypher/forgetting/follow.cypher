// What was forgotten after a time, by any process, and the embedder of the stored vectors. Index forgetting_at.
// $after_ms: int
// -> now_ms, embedder, forgotten
OPTIONAL MATCH (m:Migration {name: 'embedder'})
WITH head(collect(m {.model, .dim, .token_model, .indexes, .changing})) AS embedder
RETURN timestamp() AS now_ms, embedder,
       COLLECT { MATCH (f:Forgetting) WHERE f.at_ms > $after_ms RETURN f {.id, .tenant, .user_id, .messages} } AS forgotten
