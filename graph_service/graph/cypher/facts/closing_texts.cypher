// Texts of some facts and messages. Indexes prefers_id … caused_by_id, message_id.
// $tenant: str
// $facts: list of fact ids
// $messages: list of message ids
// -> id, text
CALL () {
  UNWIND $messages AS wanted
  MATCH (m:Message {tenant: $tenant, id: wanted}) RETURN m.id AS id, m.text AS text
  UNION ALL
  {{each fact, UNION ALL}}
  UNWIND $facts AS wanted
  MATCH ()-[r:{{predicate}} {tenant: $tenant, id: wanted}]->() RETURN r.id AS id, r.statement AS text
  {{end}}
}
RETURN id, text
