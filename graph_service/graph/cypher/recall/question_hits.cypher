// Texts of messages, scenes and facts by id, and which of some users exist. Unique indexes message_id, memory_id and those of facts;
// index user_tenant.
// $tenant: str
// $messages: list of message ids
// $scenes: list of scene ids
// $facts: list of fact ids
// $users: list of user ids
// $chars_max: int
// -> kind, id, text, source, target, scene, at
UNWIND $messages AS id
MATCH (m:Message {tenant: $tenant, id: id}) WHERE {{unexpired m}}
OPTIONAL MATCH (m)-[:PART_OF]->(s:Scene)
RETURN 'message' AS kind, m.id AS id, left(m.text, $chars_max) AS text, m.role AS source, m.speaker AS target, s.id AS scene, m.said_at AS at
UNION ALL
UNWIND $scenes AS id
MATCH (s:Memory:Scene {tenant: $tenant, id: id})
RETURN 'scene' AS kind, s.id AS id, left(coalesce(s.name, s.abstract, ''), $chars_max) AS text, null AS source, null AS target, null AS scene, s.first_seen AS at
UNION ALL
{{each fact, UNION ALL}}
UNWIND $facts AS id
MATCH (a:Memory)-[r:{{predicate}} {tenant: $tenant, id: id}]->(b:Memory)
RETURN 'fact' AS kind, r.id AS id, left(r.statement, $chars_max) AS text, a.id AS source, b.id AS target, null AS scene, r.valid_at AS at
{{end}}
UNION ALL
UNWIND $users AS id
MATCH (u:User {tenant: $tenant, user_id: id})
RETURN 'user' AS kind, u.user_id AS id, u.name AS text, null AS source, null AS target, null AS scene, u.last_seen AS at
