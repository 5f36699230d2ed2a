// Number of nodes and relationships in the mind map of some users. One row; index memory_user.
// Counts outgoing relationships, which Neo4j stores with each node; checking their other ends takes three times as long. All of them
// belong to the mind map except IN_SESSION.
// $tenant: str
// $users: list of user ids
// -> nodes, edges
MATCH (n:Memory)
WHERE n.tenant = $tenant AND n.user_id IN $users AND {{not_correction n}}
RETURN count(n) AS nodes, sum(COUNT { (n)-->() } - COUNT { (n)-[:IN_SESSION]->() }) AS edges
