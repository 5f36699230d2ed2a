// Whose memories a tenant holds, by name. At most $rows_max rows; index memory_user.
// $tenant: str
// $rows_max: int
// -> user_id, name
MATCH (u:Memory:User)
USING INDEX u:Memory(tenant, user_id)
WHERE u.tenant = $tenant AND u.user_id IS NOT NULL
RETURN u.user_id AS user_id, u.name AS name
ORDER BY toLower(coalesce(u.name, u.user_id)), u.user_id
LIMIT $rows_max
