// Delete scenes without messages, with their relationships; skip those that received a message meanwhile.
// $tenant: str
// $rows: list of {id}, ordered by id
// -> id, edges
UNWIND $rows AS row
MATCH (s:Scene {tenant: $tenant, id: row.id}) WHERE NOT EXISTS { (:Message)-[:PART_OF]->(s) }
WITH s, s.id AS id, COLLECT { MATCH (s)-[e]-(:Memory) WHERE e.id IS NOT NULL RETURN e.id } AS edges
DETACH DELETE s
RETURN id, edges
