// A page of the episodes in a Graphiti database. It has no tenants; groups are its users.
// $group: str or null
// $after: str
// $rows: int
// -> uuid, group_id, content, valid_at, created_at
MATCH (e:Episodic) WHERE e.uuid > $after AND ($group IS NULL OR e.group_id = $group)
RETURN e.uuid AS uuid, e.group_id AS group_id, e.content AS content, e.valid_at AS valid_at, e.created_at AS created_at
ORDER BY uuid LIMIT $rows
