// Every edge of a memory as [source, target, weight]: mentions weigh half, closed facts a quarter. One row; index memory_user.
// $tenant: str
// $users: list of user ids
// -> links
MATCH (s:Memory)
WHERE s.tenant = $tenant AND s.user_id IN $users
MATCH (s)-[r]->(o:Memory)
WHERE r.tenant = $tenant
RETURN collect([s.id, o.id, CASE WHEN type(r) = 'MENTIONED' THEN 0.5 WHEN r.invalid_at IS NULL THEN 0.5 + r.strength ELSE 0.25 END]) AS links
