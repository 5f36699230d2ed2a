// The summaries of the scene, session or message with this id; no row if there is none.
// $tenant: str
// $id: str
// -> kind, session, texts
// texts: {name, abstract, overview, abstract_by, overview_by, text, behind, layers_hash, start, end, mentioned_start, mentioned_end, zone, emotion, turns}; turns: [role, speaker] of the messages of a
// scene; the
// times of a session are null
CALL () {
  MATCH (s:Memory {tenant: $tenant, id: $id}) WHERE s:Scene
  RETURN 'scene' AS kind, s.session_id AS session,
         s {.name, .abstract, .overview, .abstract_by, .overview_by, .layers_hash, behind: s.layers_behind, text: null,
            start: datetime({epochMillis: s.start_ms}), end: datetime({epochMillis: s.end_ms}), mentioned_start: s.scene_start, mentioned_end: s.scene_end,
            turns: COLLECT { MATCH (s)<-[:PART_OF]-(m:Message) WITH m ORDER BY m.said_ms, m.position, m.id LIMIT 1000 RETURN [m.role, m.speaker] }} AS texts
 UNION ALL
  MATCH (l:SessionLifecycle {tenant: $tenant, id: $id})
  RETURN 'session' AS kind, l.id AS session,
         l {name: l.title, .abstract, .overview, abstract_by: coalesce(l.abstract_by, 'extractive'), overview_by: coalesce(l.overview_by, 'extractive'), .layers_hash, behind: null, text: null} AS texts
 UNION ALL
  MATCH (m:Message {tenant: $tenant, id: $id})
  RETURN 'message' AS kind, m.session_id AS session,
         m {name: null, abstract: m.text, overview: m.text, abstract_by: 'said', overview_by: 'said', layers_hash: m.content_hash, behind: null, .text,
            start: m.said_at, .mentioned_start, .mentioned_end, .zone, .emotion} AS texts
}
RETURN kind, session, texts
