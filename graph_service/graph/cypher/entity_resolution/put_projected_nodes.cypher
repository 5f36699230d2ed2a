// Write the nodes of merged entities; replaces all properties.
// $tenant: str
// $rows: list of {id, properties}, ordered by id
// -> id
UNWIND $rows AS row
MERGE (e:Memory {tenant: $tenant, id: row.id}) ON CREATE SET e:Entity
WITH e, row.properties AS properties
{{replaced e}}
RETURN e.id AS id
