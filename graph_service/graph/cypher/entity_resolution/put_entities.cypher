// Create entities, or update their times, aliases and type.
// hot
// $tenant: str
// $rows: list of {id, properties}, ordered by id
// -> id
UNWIND $rows AS row
MERGE (e:Memory {tenant: $tenant, id: row.id}) ON CREATE SET e:Entity
SET e += row.properties
RETURN e.id AS id
