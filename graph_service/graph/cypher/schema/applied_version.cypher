// Names of the migrations that started and whether they finished, and in the row `embedder` the embedder of the stored vectors; the other
// columns are null elsewhere.
// -> name, finished, model, dim, token_model, indexes, changing
MATCH (m:Migration)
RETURN m.name AS name, m.ran_at IS NOT NULL AS finished, m.model AS model, m.dim AS dim, m.token_model AS token_model, m.indexes AS indexes,
       m.changing AS changing
