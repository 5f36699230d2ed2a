// Positions on the map of a user, or of everybody, that changed after a number; the newest of them. Index memory_place.
// hot
// $tenant: str
// $user: str, whose map; empty for everybody's
// $seq: int
// $rows_max: int
// -> places
MATCH (n:Memory {tenant: $tenant}) WHERE n.place_seq > $seq AND $user IN ['', n.user_id]
WITH n, CASE WHEN $user = '' THEN n.map_place_all ELSE n.map_place END AS place
WHERE place IS NOT NULL
WITH n.id AS id, place ORDER BY n.place_seq DESC LIMIT $rows_max
RETURN collect([id, place]) AS places
