// Store the first part of a rewritten message under a temporary id, while the former one is deleted.
// $tenant: str
// $properties: map, with the temporary id
// -> id
CREATE (m:Message)
SET m = $properties, m.tenant = $tenant
RETURN m.id AS id
