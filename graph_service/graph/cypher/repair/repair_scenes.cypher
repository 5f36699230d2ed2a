// Mark scenes as waiting for vectors.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (s:Scene {tenant: $tenant, id: id})
SET s.unembedded = true
RETURN s.id AS id
