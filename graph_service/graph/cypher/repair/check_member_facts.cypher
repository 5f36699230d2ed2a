// A page of a tenant's members of merged entities by id, with their facts that have no existing evidence.
// $tenant: str
// $after: str, the last id of the page before
// $rows_max: int
// -> id, user_id, unproven
// unproven: list of {subject_id, id}; a fact between two members is listed with each.
MATCH (e:MemberEntity {tenant: $tenant}) WHERE e.id > $after
WITH e ORDER BY e.id LIMIT $rows_max
RETURN e.id AS id, e.user_id AS user_id, COLLECT {
  CALL (e) {
    MATCH (h:MemberFact {tenant: $tenant, subject_id: e.id}) RETURN h
   UNION
    MATCH (h:MemberFact {tenant: $tenant, object_id: e.id}) RETURN h
  }
  WITH h WHERE size(h.evidence) > 0 AND NOT EXISTS { MATCH (m:Message {tenant: $tenant}) WHERE m.id IN h.evidence }
  RETURN {subject_id: h.subject_id, id: h.id}
} AS unproven
