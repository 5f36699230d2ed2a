// Move the facts of merged entities from relationships into MemberFact nodes; derived relationships are just deleted.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (:Memory {tenant: $tenant, id: id})-[r]-(:Memory)
WITH DISTINCT r, startNode(r).id AS subject_id, endNode(r).id AS object_id, type(r) AS predicate, r.id AS id, properties(r) AS kept
FOREACH (_ IN CASE WHEN kept.merged IS NULL THEN [1] ELSE [] END |
  CREATE (h:MemberFact)
  SET h = kept, h.subject_id = subject_id, h.object_id = object_id, h.predicate = predicate, h.embedding = null, h.unembedded_in = null)
DELETE r
RETURN id
