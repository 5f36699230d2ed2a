// Counts of one user's data, and whether the erasure of the user has begun. Indexes message_user, memory_user, item_user.
// $tenant: str
// $user_id: str
// $user_node_id: str
// -> messages, scenes, entities, facts, sessions, items, begun
CALL () { MATCH (m:Message {tenant: $tenant, user_id: $user_id}) WHERE m.said_ms IS NOT NULL AND m.part_of IS NULL RETURN count(m) AS messages }
CALL () {
  MATCH (n:Memory {tenant: $tenant, user_id: $user_id})
  RETURN sum(CASE WHEN n:Scene THEN 1 ELSE 0 END) AS scenes, sum(CASE WHEN n:Entity THEN 1 ELSE 0 END) AS entities,
         sum(COUNT { (n)-[:{{predicates}}]->(:Memory) }) AS facts
}
CALL () { MATCH (l:SessionLifecycle {tenant: $tenant, user_id: $user_id}) WHERE l.last_ms IS NOT NULL RETURN count(l) AS sessions }
CALL () { MATCH (i:Item {tenant: $tenant, user_id: $user_id}) RETURN count(i) AS items }
RETURN messages, scenes, entities, facts, sessions, items, EXISTS { (:Job {tenant: $tenant, id: $user_node_id + '/forget'}) } AS begun
