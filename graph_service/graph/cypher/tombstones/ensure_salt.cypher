// The secret salt of a tenant's tombstones; created once. No row: the tenant does not exist.
// $tenant: str
// $salt: str
// -> salt, marks_of
MATCH (t:Tenant {id: $tenant})
SET t.salt = coalesce(t.salt, $salt)
RETURN t.salt AS salt, t.marks_of AS marks_of
