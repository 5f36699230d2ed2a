// Give the first part of a rewritten message its id, after the former one was deleted, and store its further parts.
// $tenant: str
// $temporary_id: str
// $id: str
// $parts: list of maps of properties, ordered by id
// -> id
MATCH (m:Message {tenant: $tenant, id: $temporary_id})
SET m.id = $id
FOREACH (part IN $parts | CREATE (p:Message) SET p = part)
RETURN m.id AS id
