// Record the embedder of the vector indexes, and the model of the token vectors of messages.
// $model: str
// $dim: int
// $token_model: str, or null when the embedder makes no token vectors
// $indexes: list of str, names of the vector indexes
// $changing: bool, the vectors of another embedder are being deleted
// -> model
MERGE (m:Migration {name: 'embedder'})
SET m.model = $model, m.dim = $dim, m.token_model = $token_model, m.indexes = $indexes, m.changing = $changing, m.ran_at = datetime()
RETURN m.model AS model
