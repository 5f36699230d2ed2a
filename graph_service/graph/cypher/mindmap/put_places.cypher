// Store where viewers draw nodes, on the map of their user or of everybody. Unknown nodes are left out. Locks the nodes, then the tenant, as
// writers of changes do. Unique indexes memory_id, tenant_id.
// $tenant: str
// $user: str, whose map; empty for everybody's
// $keep: bool, keep existing positions
// $rows: list of {id, place}, ordered by id
// -> written
UNWIND $rows AS row
MATCH (n:Memory {tenant: $tenant, id: row.id})
WHERE $user IN ['', n.user_id] AND NOT ($keep AND (CASE WHEN $user = '' THEN n.map_place_all ELSE n.map_place END) IS NOT NULL)
SET n.map_place = CASE WHEN $user = '' THEN n.map_place ELSE row.place END,
    n.map_place_all = CASE WHEN $user = '' THEN row.place ELSE n.map_place_all END
WITH collect(n) AS placed
MATCH (t:Tenant {id: $tenant}) WHERE size(placed) > 0
SET t.places_seq = coalesce(t.places_seq, 0) + 1
WITH t.places_seq AS seq, placed
UNWIND placed AS n
SET n.place_seq = seq
RETURN count(n) AS written
