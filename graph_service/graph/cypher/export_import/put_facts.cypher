// Write facts of an import as relationships; replaces all properties, and sets vectors in the form the vector index needs. A fact without
// a vector waits for one. The predicate becomes the relationship type, so it must be on the whitelist. Index memory_id.
// $tenant: str
// $rows: list of {id, type, subject, object, properties, vectors}; vectors a list of [property, vector]
// -> written
UNWIND $rows AS row
MATCH (a:Memory {tenant: $tenant, id: row.subject})
MATCH (b:Memory {tenant: $tenant, id: row.object})
MERGE (a)-[r:$(row.type) {tenant: $tenant, id: row.id}]->(b)
SET r = row.properties
SET r.unembedded_in = CASE WHEN row.vectors <> [] OR row.properties.statement = '' THEN null
      ELSE coalesce(row.properties.unembedded_in, head(COLLECT {
        MATCH (m:Message {tenant: $tenant, id: head(row.properties.evidence)}) RETURN m.session_id })) END
WITH r, row
CALL (r, row) {
  UNWIND row.vectors AS pair
  CALL db.create.setRelationshipVectorProperty(r, pair[0], pair[1])
  RETURN count(*) AS vectors
}
RETURN count(*) AS written
