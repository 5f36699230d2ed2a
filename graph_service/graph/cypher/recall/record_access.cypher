// Record that messages, scenes and facts of one user were part of answers. Takes the lock that digests take, but writes no change and
// does not increment the revision. Elements forgotten meanwhile are skipped. Unique indexes message_id, memory_id.
// $tenant: str
// $user_node_id: str
// $rows: list of {id, kind, n, at}, ordered by id; kind is message, scene or fact, at a datetime
// -> updated
MATCH (v:Revision {tenant: $tenant, id: $user_node_id})
SET v.locked = true
WITH [row IN $rows WHERE row.kind = 'message'] AS messages, [row IN $rows WHERE row.kind = 'scene'] AS scenes,
     [row IN $rows WHERE row.kind = 'fact'] AS facts
CALL (messages, scenes) {
  CALL (messages, scenes) {
    UNWIND messages AS row
    MATCH (m:Message {tenant: $tenant, id: row.id})
    SET m.last_accessed = row.at, m.access_n = coalesce(m.access_n, 0) + row.n
    RETURN m.id AS id
   UNION ALL
    UNWIND scenes AS row
    MATCH (s:Memory {tenant: $tenant, id: row.id}) WHERE s:Scene
    SET s.last_accessed = row.at, s.access_n = coalesce(s.access_n, 0) + row.n
    RETURN s.id AS id
  }
  RETURN count(id) AS nodes
}
CALL (facts) {
  CALL (facts) {
    {{each fact, UNION ALL}}
    UNWIND facts AS row MATCH ()-[r:{{predicate}} {tenant: $tenant, id: row.id}]->() RETURN r, row
    {{end}}
  }
  SET r.last_accessed = row.at, r.access_n = coalesce(r.access_n, 0) + row.n
  RETURN count(r) AS edges
}
RETURN nodes + edges AS updated
