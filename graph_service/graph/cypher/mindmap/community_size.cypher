// How much of a memory belongs to communities, before any of it is read. Index memory_user; counts of links are kept with nodes.
// $tenant: str
// $users: list of user ids
// -> nodes, links
MATCH (n:Memory)
WHERE n.tenant = $tenant AND n.user_id IN $users
RETURN count(n) AS nodes, sum(COUNT { (n)-[:{{predicates}}|MENTIONED]->() }) AS links
