// Stores the layer texts of a session beside its state.
// $tenant: str
// $session: str
// $layers: map {title, abstract, overview, layers_hash, layers_at}
// -> id
MATCH (l:SessionLife {tenant: $tenant, id: $session})
SET l += $layers
RETURN l.id AS id
