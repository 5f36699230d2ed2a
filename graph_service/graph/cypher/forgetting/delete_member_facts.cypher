// Delete facts of merged entities. Index held_fact_subject.
// $tenant: str
// $rows: list of {subject_id, id}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (h:HeldFact {tenant: $tenant, subject_id: row.subject_id}) WHERE h.id = row.id
DELETE h
RETURN row.id AS id
