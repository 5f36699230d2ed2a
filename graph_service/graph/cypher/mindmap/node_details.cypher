// URI and attributes of some nodes, and the speakers of scenes. Unique index memory_id.
// $tenant: str
// $ids: list of node ids
// -> id, uri, attributes, turns
// turns: of a scene [role, speaker] of its first 1,000 messages, in order; empty for others
// attributes: a JSON object of strings; null without any
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
RETURN n.id AS id, n.uri AS uri, n.attributes AS attributes,
       COLLECT { MATCH (n:Scene)<-[:PART_OF]-(m:Message) WITH m ORDER BY m.said_ms, m.position, m.id LIMIT 1000 RETURN [m.role, m.speaker] } AS turns
