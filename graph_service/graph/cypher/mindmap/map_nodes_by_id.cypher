// Nodes by id. Unique index memory_id.
// One row of lists, times as microseconds since 1970: rows of maps with dates take the driver five times as long.
// hot
// $tenant: str
// $ids: list of node ids
// -> nodes
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
RETURN collect([{{map_node n}}]) AS nodes
