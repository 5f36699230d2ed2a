// Write structural links of an import. Indexes message_id, memory_id, session_id, member_entity_id.
// $tenant: str
// $kind: str, PART_OF, IN_SESSION or MEMBER_OF
// $rows: list of {subject, object}
// -> written
UNWIND $rows AS row
CALL (row) {
  WITH row WHERE $kind = 'PART_OF'
  MATCH (a:Message {tenant: $tenant, id: row.subject})
  MATCH (b:Memory {tenant: $tenant, id: row.object})
  MERGE (a)-[:PART_OF]->(b)
  RETURN a
 UNION ALL
  WITH row WHERE $kind = 'IN_SESSION'
  MATCH (a:Memory {tenant: $tenant, id: row.subject})
  MATCH (b:Session {tenant: $tenant, id: row.object})
  MERGE (a)-[:IN_SESSION]->(b)
  RETURN a
 UNION ALL
  WITH row WHERE $kind = 'MEMBER_OF'
  MATCH (a:MemberEntity {tenant: $tenant, id: row.subject})
  MATCH (b:Memory {tenant: $tenant, id: row.object})
  MERGE (a)-[:MEMBER_OF]->(b)
  RETURN a
}
RETURN count(*) AS written
