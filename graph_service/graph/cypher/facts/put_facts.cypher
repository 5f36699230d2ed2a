// Create or update facts as relationships. The predicate becomes the relationship type, so it must be on the whitelist. A fact with a new
// statement is marked for embedding (unembedded_in).
// hot
// $tenant: str
// $session: str, the session that embeds them; empty: the session of the first evidence message
// $rows: list of {id, subject_id, object_id, predicate, properties}, ordered by id
// -> id, unembedded_in
UNWIND $rows AS row
MATCH (a:Memory {tenant: $tenant, id: row.subject_id})
MATCH (b:Memory {tenant: $tenant, id: row.object_id})
MERGE (a)-[r:$(row.predicate) {tenant: $tenant, id: row.id}]->(b)
WITH row, r, coalesce(r.statement, '') = row.properties.statement AS known
SET r += row.properties
SET r.unembedded_in = CASE WHEN known THEN r.unembedded_in WHEN $session <> '' THEN $session ELSE head(COLLECT {
      MATCH (m:Message {tenant: $tenant, id: head(row.properties.evidence)}) WHERE $session = '' RETURN m.session_id }) END
RETURN r.id AS id, r.unembedded_in AS unembedded_in
