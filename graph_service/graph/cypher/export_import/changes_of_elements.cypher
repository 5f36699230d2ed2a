// All changes of some elements, for an export: forgetting an element redacts its older changes. Index change_element.
// $tenant: str
// $ids: list of str
// -> key, labels, properties, links
UNWIND $ids AS id
MATCH (n:Change {tenant: $tenant, element_id: id})
RETURN n.seq AS key, labels(n) AS labels, properties(n) AS properties, [] AS links
