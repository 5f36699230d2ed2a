// The newest scene of the evidence of facts, and of the mentions of entities; none if that is a correction by hand.
// Indexes prefers_id … caused_by_id and memory_id.
// $tenant: str
// $facts: list of str
// $entities: list of str
// -> id, scene, label
CALL () {
  UNWIND $facts AS id
  CALL (id) {
    {{each fact, UNION ALL}}
    MATCH ()-[r:{{predicate}} {tenant: $tenant, id: id}]->() RETURN r.scenes AS scenes
    {{end}}
  }
  CALL (scenes) {
    UNWIND scenes AS scene
    MATCH (s:Memory {tenant: $tenant, id: scene})
    RETURN s ORDER BY s.last_seen DESC, s.id LIMIT 1
  }
  RETURN id, s
 UNION ALL
  UNWIND $entities AS id
  MATCH (n:Memory {tenant: $tenant, id: id})
  CALL (n) {
    MATCH (s:Memory)-[:MENTIONED]->(n)
    RETURN s ORDER BY s.last_seen DESC, s.id LIMIT 1
  }
  RETURN id, s
}
WITH id, s WHERE {{not_correction s}}
RETURN id, s.id AS scene, coalesce(s.name, '') AS label
