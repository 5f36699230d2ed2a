// Replace properties of messages. Unique index message_id.
// $tenant: str
// $rows: list of {id, properties}, ordered by id; null removes a property
// -> id
UNWIND $rows AS row
MATCH (m:Message {tenant: $tenant, id: row.id})
SET m += row.properties
RETURN m.id AS id
