// Users of a tenant, by name. At most $rows_max rows; index user_tenant.
// $tenant: str
// $rows_max: int
// -> user_id, name
MATCH (u:User {tenant: $tenant})
WHERE u.user_id IS NOT NULL
RETURN u.user_id AS user_id, u.name AS name
ORDER BY toLower(coalesce(u.name, u.user_id)), u.user_id
LIMIT $rows_max
