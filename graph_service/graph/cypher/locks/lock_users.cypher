// Lock the memories of some users until the commit, so that no digest adds relationships to their scenes meanwhile.
// hot
// $tenant: str
// $user_node_ids: list of str, ordered
// -> id
// Without it, writing the vectors of a scene and a digest that links the same scene deadlocked, with a pause of a second.
UNWIND $user_node_ids AS id
MERGE (v:Revision {tenant: $tenant, id: id}) ON CREATE SET v.revision = 0
SET v.locked = true
RETURN v.id AS id
