// Write MEMBER_OF relationships of an import. Index member_entity_id.
// $tenant: str
// $rows: list of {subject, object}
// -> written
UNWIND $rows AS row
MATCH (a:MemberEntity {tenant: $tenant, id: row.subject})
MATCH (b:Memory {tenant: $tenant, id: row.object})
MERGE (a)-[:MEMBER_OF]->(b)
RETURN count(*) AS written
