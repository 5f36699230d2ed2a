// The migrations that ran, and as `embedder` whose vectors the vector indexes hold; model and dim are null elsewhere.
// -> name, model, dim
MATCH (m:Migration) RETURN m.name AS name, m.model AS model, m.dim AS dim
