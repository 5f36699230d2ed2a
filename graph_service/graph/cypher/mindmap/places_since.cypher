// Positions in the views of a user, or of everybody, that changed after a number; the newest of them. Index memory_place.
// hot
// $tenant: str
// $user: str, whose views; empty for everybody's
// $seq: int
// $properties: list of str, names of properties, one for each view
// $rows_max: int
// -> places
MATCH (n:Memory {tenant: $tenant}) WHERE n.place_seq > $seq AND $user IN ['', n.user_id]
UNWIND $properties AS property
WITH n, property, n[property] AS place
WHERE place IS NOT NULL
WITH property, n.id AS id, place ORDER BY n.place_seq DESC LIMIT $rows_max
RETURN collect([property, id, place]) AS places
