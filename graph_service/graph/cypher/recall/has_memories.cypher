// Return whether a user has anything that recall returns: messages, scenes, or facts, whose ends are nodes of the user.
// hot
// $tenant: str
// $user_id: str
// -> has_memories
CALL () {
  MATCH (m:Message {tenant: $tenant, user_id: $user_id}) USING INDEX SEEK m:Message(tenant, user_id, said_ms)
  WHERE m.said_ms IS NOT NULL
  RETURN 1 AS one LIMIT 1
 UNION ALL
  MATCH (n:Memory {tenant: $tenant, user_id: $user_id}) USING INDEX SEEK n:Memory(tenant, user_id)
  RETURN 1 AS one LIMIT 1
}
RETURN count(*) > 0 AS has_memories
