// Delete the other data of a user: members of merged entities, rejected merges, tombstones, the revision and jobs.
// $tenant: str
// $user_id: str
// $user_node_id: str
// -> nodes
// Few nodes have these labels.
CALL () {
  MATCH (n:MemberEntity {tenant: $tenant}) WHERE n.user_id = $user_id RETURN n
 UNION
  MATCH (n:MemberFact {tenant: $tenant}) WHERE n.user_id = $user_id RETURN n
 UNION
  MATCH (n:RejectedMerge {tenant: $tenant}) WHERE n.user_id = $user_id RETURN n
 UNION
  MATCH (n:Tombstone {tenant: $tenant, user_node_id: $user_node_id}) RETURN n
 UNION
  MATCH (n:Revision {tenant: $tenant, id: $user_node_id}) RETURN n
 UNION
  MATCH (n:Job {tenant: $tenant, id: $user_node_id + '/reextract'}) RETURN n
}
DETACH DELETE n
RETURN count(*) AS nodes
