// How many nodes and edges the mind map of some users has. One row; index memory_user.
// The database knows of each node how many edges begin at it; to look at their far ends as well takes three times as long. What
// begins at a node of the map is an edge of the map, but that a scene is part of a session.
// $tenant: str
// $users: list of user ids
// -> nodes, edges
MATCH (n:Memory)
WHERE n.tenant = $tenant AND n.user_id IN $users
RETURN count(n) AS nodes, sum(COUNT { (n)-->() } - COUNT { (n)-[:IN_SESSION]->() }) AS edges
