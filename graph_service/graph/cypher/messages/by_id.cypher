// Messages by id, with the texts of all their parts in order. Unique index message_id.
// $tenant: str
// $ids: list of str, of first parts
// $with_raw: bool, return the payloads
// -> id, uri, external_id, user_id, session_id, role, speaker, texts, raw, metadata, tags, said_at, received_at, created_at, updated_at, expires_ms, version, part_ids, scene_ids, is_read
UNWIND $ids AS id
MATCH (m:Message {tenant: $tenant, id: id}) WHERE {{unexpired m}}
OPTIONAL MATCH (x:Session {tenant: $tenant, id: m.session_id})
CALL (m) {
  WITH [m.id] + coalesce(m.parts, []) AS part_ids
  UNWIND range(0, size(part_ids) - 1) AS number
  MATCH (p:Message {tenant: $tenant, id: part_ids[number]})
  OPTIONAL MATCH (p)-[:PART_OF]->(s:Scene)
  WITH number, p, head(collect(s)) AS s ORDER BY number
  RETURN collect(p.id) AS part_ids, collect(p.text) AS texts, collect(s.id) AS scene_ids,
         all(waits IN collect(p.unread IS NOT NULL OR s.unextracted IS NOT NULL) WHERE NOT waits) AS is_read
}
RETURN m.id AS id, m.uri AS uri, m.external_id AS external_id, m.user_id AS user_id, coalesce(x.session_id, '') AS session_id, m.role AS role,
       m.speaker AS speaker, texts, CASE WHEN $with_raw THEN m.raw END AS raw, m.metadata AS metadata, m.tags AS tags, m.said_at AS said_at,
       m.received_at AS received_at, coalesce(m.created_at, m.received_at) AS created_at,
       coalesce(m.updated_at, m.created_at, m.received_at) AS updated_at, m.expires_ms AS expires_ms, coalesce(m.version, 1) AS version, part_ids, scene_ids, is_read
