// Writes the nodes of the map that stand for several entities; every property is as given, what is not given goes.
// $tenant: str
// $rows: list of {id, properties}, ordered by id
// -> id
UNWIND $rows AS row
MERGE (e:Memory {tenant: $tenant, id: row.id}) ON CREATE SET e:Entity
SET e = row.properties
RETURN e.id AS id
