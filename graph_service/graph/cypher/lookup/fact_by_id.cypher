// One fact or mention with both ends; no row if the tenant has none with this id. Indexes prefers_id … caused_by_id.
// $tenant: str
// $id: str
// -> edge, source, source_labels, target, target_labels, predicate
CALL () {
  {{each predicate, UNION ALL}}
  MATCH ()-[r:{{predicate}} {tenant: $tenant, id: $id}]->() RETURN r
  {{end}}
}
WITH r, startNode(r) AS s, endNode(r) AS o
RETURN r {.id, .user_id, .relation, .statement, .strength, .confidence, .first_seen, .last_seen, .valid_at, .invalid_at,
          .recorded_at, .known_at, .closing_known_at, .reader, .trigger_emotion, .importance, .kind, .rationale, .steps, .evidence, .quotes,
          .closed_by, .closing_reason, .assertions, .slot, .merged, .corrections} AS edge,
       s {.id, .name, .user_id, .entity_type} AS source, labels(s) AS source_labels,
       o {.id, .name, .user_id, .entity_type} AS target, labels(o) AS target_labels, type(r) AS predicate
