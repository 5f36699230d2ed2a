// Neighbours of each node of a memory as [id, ends of facts, ends of mentions]; one row of lists. Index memory_user.
// Reads no property of a relationship: for a hundred thousand of them that alone takes ten seconds.
// $tenant: str
// $users: list of user ids
// -> links
MATCH (s:Memory)
WHERE s.tenant = $tenant AND s.user_id IN $users AND {{not_correction s}}
WITH s.id AS id,
     [(s)-[:{{predicates}}]->(o:Memory) | o.id] AS facts,
     [(s)-[:MENTIONED]->(o:Memory) | o.id] AS mentions
WHERE size(facts) + size(mentions) > 0
RETURN collect([id, facts, mentions]) AS links
