// The migrations that ran, and as `embedder` whose vectors the vector indexes and messages hold; the models and dim are null elsewhere.
// -> name, model, dim, token_model
MATCH (m:Migration) RETURN m.name AS name, m.model AS model, m.dim AS dim, m.token_model AS token_model
