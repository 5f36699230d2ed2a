// Number of nodes and relationships of a memory. Index memory_user; relationship counts are stored with the nodes.
// $tenant: str
// $users: list of user ids
// -> nodes, links
MATCH (n:Memory)
WHERE n.tenant = $tenant AND n.user_id IN $users
RETURN count(n) AS nodes, sum(COUNT { (n)-[:{{predicates}}|MENTIONED]->() }) AS links
