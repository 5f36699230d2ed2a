// A page of the users of a tenant by id. Index user_tenant.
// $tenant: str
// $prefix: str, the beginning of their ids
// $after: str, the last id of the page before; empty for the first page
// $rows_max: int
// -> user_id, name, first_seen, last_seen
MATCH (u:User {tenant: $tenant}) WHERE u.user_id STARTS WITH $prefix AND u.user_id > $after
WITH u ORDER BY u.tenant, u.user_id LIMIT $rows_max
RETURN u.user_id AS user_id, coalesce(u.name, u.user_id) AS name, u.first_seen AS first_seen, u.last_seen AS last_seen
