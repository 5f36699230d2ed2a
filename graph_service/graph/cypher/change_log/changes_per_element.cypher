// How often elements were changed, and when last. Index change_element.
// $tenant: str
// $ids: list of str
// -> id, changes, last_at
UNWIND $ids AS id
MATCH (c:Change {tenant: $tenant, element_id: id})
RETURN id, count(c) AS changes, max(c.at) AS last_at
