// Marks facts that are not in the profile any more, or are again; the facts themselves stay as they are. Unique index memory_id.
// $tenant: str
// $rows: list of {subject_id, id, out}, ordered by id; out is null for what is in the profile
// -> subject_id, object_id, predicate, properties
UNWIND $rows AS row
MATCH (a:Memory {tenant: $tenant, id: row.subject_id})-[r:PREFERS|DISLIKES|CARES_ABOUT|RELATES_TO|CAUSED_BY]->(b:Memory)
WHERE r.tenant = $tenant AND r.id = row.id
SET r.profile_out = row.out
RETURN a.id AS subject_id, b.id AS object_id, type(r) AS predicate, properties(r) AS properties
