// URI and attributes of some nodes. Unique index memory_id.
// $tenant: str
// $ids: list of node ids
// -> id, uri, attributes
// attributes: a JSON object of strings; null without any
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
RETURN n.id AS id, n.uri AS uri, n.attributes AS attributes
