// Pairs of entities of some users that are recorded as different. Index rejected_merge_user.
// $tenant: str
// $users: list of str
// -> a_id, b_id
MATCH (k:RejectedMerge {tenant: $tenant}) WHERE k.user_id IN $users
RETURN k.a_id AS a_id, k.b_id AS b_id
ORDER BY a_id, b_id
