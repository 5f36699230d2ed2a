// Write relationships derived from the facts of merged entities; replaces all properties. The vector is kept if the statement is
// unchanged; otherwise the fact waits for a new one.
// $tenant: str
// $rows: list of {id, subject_id, object_id, predicate, properties}, ordered by id
// -> id, unembedded_in
UNWIND $rows AS row
MATCH (a:Memory {tenant: $tenant, id: row.subject_id})
MATCH (b:Memory {tenant: $tenant, id: row.object_id})
MERGE (a)-[r:$(row.predicate) {tenant: $tenant, id: row.id}]->(b)
WITH row, r, r.embedding AS vector, r.unembedded_in AS waits, coalesce(r.statement, '') = row.properties.statement AS known,
  row.properties AS properties
{{replaced r}}
SET r.embedding = CASE WHEN known THEN vector ELSE null END, r.unembedded_in = CASE WHEN known THEN waits ELSE head(COLLECT {
      MATCH (m:Message {tenant: $tenant, id: head(row.properties.evidence)}) RETURN m.session_id }) END
RETURN r.id AS id, r.unembedded_in AS unembedded_in
