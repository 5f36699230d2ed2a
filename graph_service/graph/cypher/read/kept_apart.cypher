// Pairs of entities of a user that somebody said are two. Index kept_apart_user.
// $tenant: str
// $user_id: str
// -> a_id, b_id, reason, at
MATCH (k:KeptApart {tenant: $tenant}) WHERE k.user_id = $user_id
RETURN k.a_id AS a_id, k.b_id AS b_id, k.reason AS reason, k.at AS at
ORDER BY a_id, b_id
