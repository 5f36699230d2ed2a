// Which embedder filled the vector indexes; no row when none did.
// -> model, dim
MATCH (m:Migration {name: 'embedder'}) RETURN m.model AS model, m.dim AS dim
