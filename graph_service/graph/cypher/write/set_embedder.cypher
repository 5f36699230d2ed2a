// Remembers which embedder the vector indexes belong to.
// $model: str
// $dim: int
// -> model
MERGE (m:Migration {name: 'embedder'}) SET m.model = $model, m.dim = $dim, m.ran_at = datetime() RETURN m.model AS model
