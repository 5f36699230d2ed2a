// Store where viewers draw nodes, in a view of their user or of everybody. Unknown nodes are left out. Locks the nodes, then the tenant, as
// writers of changes do. Unique indexes memory_id, tenant_id.
// $tenant: str
// $user: str, whose view; empty for everybody's
// $property: str, name of the property that holds positions in this view
// $keep: bool, keep existing positions
// $rows: list of {id, place}, ordered by id; place is the position under the name of the property
// -> written
UNWIND $rows AS row
MATCH (n:Memory {tenant: $tenant, id: row.id})
WHERE $user IN ['', n.user_id] AND NOT ($keep AND n[$property] IS NOT NULL)
SET n += row.place
WITH collect(n) AS placed
MATCH (t:Tenant {id: $tenant}) WHERE size(placed) > 0
SET t.places_seq = coalesce(t.places_seq, 0) + 1
WITH t.places_seq AS seq, placed
UNWIND placed AS n
SET n.place_seq = seq
RETURN count(n) AS written
