// Create or update facts of merged entities. Index member_fact_subject.
// $tenant: str
// $rows: list of {id, subject_id, object_id, predicate, properties}, ordered by id
// -> id
UNWIND $rows AS row
MERGE (h:MemberFact {tenant: $tenant, subject_id: row.subject_id, id: row.id})
SET h += row.properties, h.object_id = row.object_id, h.predicate = row.predicate
RETURN h.id AS id
