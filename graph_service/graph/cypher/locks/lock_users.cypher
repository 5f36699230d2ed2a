// Locks the memories of some users until the commit, so that no digest adds edges to their scenes meanwhile.
// hot
// $tenant: str
// $user_node_ids: list of str, ordered
// -> id
// Seen without it: the vectors of a scene against the edges of a digest that names the same scene, a deadlock and a second's pause.
UNWIND $user_node_ids AS id
MERGE (v:Revision {tenant: $tenant, id: id}) ON CREATE SET v.revision = 0
SET v.locked = true
RETURN v.id AS id
