// The migrations that ran, and as `embedder` whose vectors the vector indexes and messages hold; the models, dim and indexes are
// null elsewhere; indexes also of an older version, which had none of facts.
// -> name, model, dim, token_model, indexes
MATCH (m:Migration) RETURN m.name AS name, m.model AS model, m.dim AS dim, m.token_model AS token_model, m.indexes AS indexes
