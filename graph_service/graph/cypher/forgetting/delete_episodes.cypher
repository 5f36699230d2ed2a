// Delete episodes.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (e:Episode {tenant: $tenant, id: id})
DELETE e
RETURN id
