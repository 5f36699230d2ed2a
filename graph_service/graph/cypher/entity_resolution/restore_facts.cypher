// Restore facts from their MemberFact nodes; they wait for vectors, which MemberFact nodes do not have.
// $tenant: str
// $rows: list of {id, subject_id, object_id}, ordered by id
// -> id, unembedded_in
UNWIND $rows AS row
MATCH (h:MemberFact {tenant: $tenant, subject_id: row.subject_id}) WHERE h.id = row.id
MATCH (a:Memory {tenant: $tenant, id: row.subject_id})
MATCH (b:Memory {tenant: $tenant, id: row.object_id})
CREATE (a)-[r:$(h.predicate)]->(b)
SET r = properties(h)
SET r.subject_id = null, r.object_id = null, r.predicate = null, r.unembedded_in = head(COLLECT {
      MATCH (m:Message {tenant: $tenant, id: head(h.evidence)}) WHERE h.statement <> '' RETURN m.session_id })
DELETE h
RETURN r.id AS id, r.unembedded_in AS unembedded_in
