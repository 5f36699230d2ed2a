// Delete facts of merged entities. Index member_fact_subject.
// $tenant: str
// $rows: list of {subject_id, id}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (h:MemberFact {tenant: $tenant, subject_id: row.subject_id}) WHERE h.id = row.id
DELETE h
RETURN row.id AS id
