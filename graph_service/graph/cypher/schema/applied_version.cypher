// Names of the migrations that ran, and in the row `embedder` the embedder of the stored vectors; the other columns are null elsewhere.
// -> name, model, dim, token_model, indexes
MATCH (m:Migration) RETURN m.name AS name, m.model AS model, m.dim AS dim, m.token_model AS token_model, m.indexes AS indexes
