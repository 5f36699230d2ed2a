// Create the items of a write that do not exist, as nodes without a version, and lock all. Index item_id.
// hot
// $tenant: str
// $epoch: str, used only when the tenant is new
// $now: datetime
// $ids: list of str, ordered
// $user_node_ids: list of str, nodes of the users who own some of them
// -> id, version, created_at, updated_at, expires_ms, call, forgetting
// call: the call that wrote the item last. forgetting: one of the users is being erased, and nothing may be stored until that is done.
MERGE (t:Tenant {id: $tenant}) ON CREATE SET t.seq = 0, t.epoch = $epoch, t.created_at = $now
WITH any(name IN $user_node_ids WHERE EXISTS { (:Job {tenant: $tenant, id: name + '/forget'}) }) AS forgetting
UNWIND $ids AS id
MERGE (i:Item {tenant: $tenant, id: id})
SET i.tenant = $tenant
RETURN i.id AS id, i.version AS version, i.created_at AS created_at, i.updated_at AS updated_at, i.expires_ms AS expires_ms, i.call AS call, forgetting
