// Messages by id with their scene, oldest first. Unique index message_id.
// $tenant: str
// $ids: list of message ids
// $rows_max: int
// -> message, scene_id, scene_label
UNWIND $ids AS id
MATCH (m:Message {tenant: $tenant, id: id}) WHERE {{unexpired m}}
WITH DISTINCT m
ORDER BY m.said_ms, m.position, m.id
LIMIT $rows_max
OPTIONAL MATCH (m)-[:PART_OF]->(s:Scene)
WITH m, head(collect(s)) AS s
RETURN m {.id, .uri, .speaker, .role, .said_at, .text, .tags, .zone, .emotion, .mentioned_start, .mentioned_end} AS message, s.id AS scene_id, s.name AS scene_label
ORDER BY m.said_ms, m.position, m.id
