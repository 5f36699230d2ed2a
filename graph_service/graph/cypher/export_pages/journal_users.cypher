// A page of a tenant's users, for a journal. Index user_tenant.
// $tenant: str
// $user_id: str, only this user; '' for all
// $after: str
// $rows: int
// -> user_id, name
MATCH (u:User {tenant: $tenant}) WHERE u.user_id > $after AND $user_id IN ['', u.user_id]
RETURN u.user_id AS user_id, coalesce(u.name, u.user_id) AS name ORDER BY user_id LIMIT $rows
