// Create agents, or widen the time they were seen.
// hot
// $tenant: str
// $rows: list of {id, properties}, ordered by id
// -> id
UNWIND $rows AS row
MERGE (a:Memory {tenant: $tenant, id: row.id}) ON CREATE SET a:Agent
SET a += row.properties
RETURN a.id AS id
