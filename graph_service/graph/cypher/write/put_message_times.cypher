// Notes which time messages talk about.
// hot
// $tenant: str
// $rows: list of {id, mentioned_start, mentioned_end}
// -> id
UNWIND $rows AS row
MATCH (m:Message {tenant: $tenant, id: row.id})
SET m.mentioned_start = row.mentioned_start, m.mentioned_end = row.mentioned_end
RETURN m.id AS id
