// Update times, aliases and type of members of merged entities.
// $tenant: str
// $rows: list of {id, properties}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (h:MemberEntity {tenant: $tenant, id: row.id})
SET h += row.properties
RETURN h.id AS id
