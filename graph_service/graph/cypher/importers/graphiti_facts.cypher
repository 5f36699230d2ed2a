// A page of the facts in a Graphiti database, with the names of both ends.
// $group: str or null
// $after: str
// $rows: int
// -> uuid, group_id, name, fact, episodes, valid_at, invalid_at, expired_at, created_at, source, source_labels, target, target_labels
MATCH (a:Entity)-[r:RELATES_TO]->(b:Entity) WHERE r.uuid > $after AND ($group IS NULL OR r.group_id = $group)
RETURN r.uuid AS uuid, r.group_id AS group_id, r.name AS name, r.fact AS fact, r.episodes AS episodes, r.valid_at AS valid_at,
       r.invalid_at AS invalid_at, r.expired_at AS expired_at, r.created_at AS created_at, a.name AS source,
       labels(a) AS source_labels, b.name AS target, labels(b) AS target_labels
ORDER BY uuid LIMIT $rows
