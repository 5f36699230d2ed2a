// Write members of merged entities of an import; replaces all properties. Index member_entity_id.
// $tenant: str
// $rows: list of {id, properties}
// -> written
UNWIND $rows AS row
MERGE (n:MemberEntity {tenant: $tenant, id: row.id})
SET n = row.properties
RETURN count(*) AS written
