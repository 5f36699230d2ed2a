// Messages of a scene, oldest first. Unique index memory_id.
// $tenant: str
// $id: str
// $rows_max: int
// -> message, scene_id, scene_label
MATCH (s:Memory:Scene {tenant: $tenant, id: $id})<-[:PART_OF]-(m:Message) WHERE {{unexpired m}}
WITH s, m
ORDER BY m.said_ms, m.position, m.id
LIMIT $rows_max
RETURN m {.id, .uri, .speaker, .role, .said_at, .text, .tags} AS message, s.id AS scene_id, s.name AS scene_label
