// Facts, as before merges of entities, that have evidence or an assertion in some scenes. Unique index memory_id.
// $tenant: str
// $user_id: str
// $ids: list of scene ids
// -> subject_id, object_id, object_name, predicate, properties
// A scene mentions both ends of each of its facts. For merged entities: MemberFact, of which there are few.
UNWIND $ids AS scene_id
MATCH (:Memory {tenant: $tenant, id: scene_id})-[:MENTIONED]->(n:Memory)
WITH DISTINCT n
MATCH (n)-[r]->(o:Memory)
WHERE type(r) <> 'MENTIONED' AND r.merged IS NULL AND (any(x IN r.scenes WHERE x IN $ids) OR any(t IN r.assertions WHERE split(t, "|")[1] IN $ids))
RETURN n.id AS subject_id, o.id AS object_id, o.name AS object_name, type(r) AS predicate, r {.*, embedding: null} AS properties
UNION
MATCH (h:MemberFact {tenant: $tenant})
WHERE h.user_id = $user_id AND h.predicate <> 'MENTIONED' AND (any(x IN h.scenes WHERE x IN $ids) OR any(t IN h.assertions WHERE split(t, "|")[1] IN $ids))
RETURN h.subject_id AS subject_id, h.object_id AS object_id, null AS object_name, h.predicate AS predicate, properties(h) AS properties
