// The summaries of the scene, session or message with this id; no row if there is none.
// $tenant: str
// $id: str
// -> kind, session, texts
// texts: {name, abstract, overview, abstract_by, overview_by, text, behind, layers_hash}
CALL () {
  MATCH (s:Memory {tenant: $tenant, id: $id}) WHERE s:Scene
  RETURN 'scene' AS kind, s.session_id AS session,
         s {.name, .abstract, .overview, .abstract_by, .overview_by, .layers_hash, behind: s.layers_behind, text: null} AS texts
 UNION ALL
  MATCH (l:SessionLifecycle {tenant: $tenant, id: $id})
  RETURN 'session' AS kind, l.id AS session,
         l {name: l.title, .abstract, .overview, abstract_by: coalesce(l.abstract_by, 'extractive'), overview_by: coalesce(l.overview_by, 'extractive'), .layers_hash, behind: null, text: null} AS texts
 UNION ALL
  MATCH (m:Message {tenant: $tenant, id: $id})
  RETURN 'message' AS kind, m.session_id AS session,
         m {name: null, abstract: m.text, overview: m.text, abstract_by: 'said', overview_by: 'said', layers_hash: m.content_hash, behind: null, .text} AS texts
}
RETURN kind, session, texts
