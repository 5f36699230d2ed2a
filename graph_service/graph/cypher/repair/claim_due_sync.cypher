// Choose the tenant whose last sync is the longest ago, if that is due, and record that it starts now: another process then chooses
// another. Over all tenants on purpose; one row for each.
// $before: datetime
// $now: datetime
// $exclude_tenants: list of str
// -> tenant
MATCH (t:Tenant) WHERE coalesce(t.synced_at, t.created_at) <= $before AND NOT t.id IN $exclude_tenants
WITH t ORDER BY coalesce(t.synced_at, t.created_at), t.id LIMIT 1
SET t.sync_claims = coalesce(t.sync_claims, 0) + 1
WITH t WHERE coalesce(t.synced_at, t.created_at) <= $before
SET t.synced_at = $now
RETURN t.id AS tenant
