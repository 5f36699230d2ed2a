// Delete the cases of recall that name something forgotten; they hold the question, which may repeat it. Index item_user.
// $tenant: str
// $user_id: str
// $namespace: list of str, that of the cases
// $ids: list of str
// -> cases
MATCH (i:Item {tenant: $tenant, user_id: $user_id})
WHERE i.namespace = $namespace AND any(id IN $ids WHERE i.value CONTAINS id)
DELETE i
RETURN count(*) AS cases
