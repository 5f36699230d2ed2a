// Mark episodes as consolidated.
// hot
// $tenant: str
// $ids: list of str
// -> id
UNWIND $ids AS id
MATCH (e:Episode {tenant: $tenant, id: id})
SET e.unread = null
RETURN e.id AS id
