// Entities that facts connect to a user by a kinship term; merged ones as their members. Unique index memory_id, member_fact_subject.
// $tenant: str
// $user_node_id: str
// $words: list of str, lower case
// -> id, name, relation, root_id, reason, is_valid, stated_by_user, is_shared
// root_id is null for an entity that is not merged. stated_by_user: a message of the user is evidence. is_shared: another subject has
// the same relation to it.
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
WITH u, [name IN [u.user_id, u.name] + coalesce(u.aliases, []) | toLower(name)] AS speakers
MATCH (u)-[r:RELATES_TO]->(e:Entity)
WHERE r.tenant = $tenant AND r.merged IS NULL AND any(word IN split(toLower(r.relation), ' ') WHERE word IN $words)
RETURN e.id AS id, e.name AS name, r.relation AS relation, null AS root_id, null AS reason, {{current r}} AS is_valid,
       EXISTS { MATCH (m:Message {tenant: $tenant}) WHERE m.id IN r.evidence AND m.role = 'user'
                AND (m.speaker IS NULL OR toLower(m.speaker) IN speakers) } AS stated_by_user,
       EXISTS { MATCH (e)<-[other:RELATES_TO]-(x:Memory) WHERE x.id <> $user_node_id AND other.relation = r.relation } AS is_shared
UNION ALL
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
WITH [name IN [u.user_id, u.name] + coalesce(u.aliases, []) | toLower(name)] AS speakers
MATCH (f:MemberFact {tenant: $tenant, subject_id: $user_node_id})
WHERE f.predicate = 'RELATES_TO' AND any(word IN split(toLower(f.relation), ' ') WHERE word IN $words)
OPTIONAL MATCH (h:MemberEntity {tenant: $tenant, id: f.object_id})-[:MEMBER_OF]->(root:Memory)
WITH speakers, f, h, root WHERE h IS NOT NULL
RETURN h.id AS id, h.name AS name, f.relation AS relation, root.id AS root_id, h.merge_reason AS reason, {{current f}} AS is_valid,
       EXISTS { MATCH (m:Message {tenant: $tenant}) WHERE m.id IN f.evidence AND m.role = 'user'
                AND (m.speaker IS NULL OR toLower(m.speaker) IN speakers) } AS stated_by_user,
       EXISTS { MATCH (g:MemberFact {tenant: $tenant, object_id: f.object_id})
                WHERE g.predicate = 'RELATES_TO' AND g.subject_id <> $user_node_id AND g.relation = f.relation } AS is_shared
