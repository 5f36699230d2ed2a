// Scenes of a session that only the local reader has read although a model is configured, oldest first, with the columns of session_input.
// hot
// $tenant: str
// $session: str
// $scenes_max: int
// -> session_uri, user_id, agent_id, user_properties, scenes, newest_ms, active
// Scenes that wait for another reading by the local reader come after that. newest_ms: start of the latest scene; null without scenes.
MATCH (s:Session {tenant: $tenant, id: $session})
MATCH (u:Memory {tenant: $tenant, id: s.user_node_id})
OPTIONAL MATCH (l:SessionLifecycle {tenant: $tenant, id: s.id})
CALL (s) {
  MATCH (scene:Scene {tenant: $tenant, session_id: s.id})
  USING INDEX SEEK scene:Scene(tenant, session_id, start_ms)
  WHERE scene.start_ms IS NOT NULL AND scene.unrefined AND scene.unextracted IS NULL
  WITH scene ORDER BY scene.start_ms, scene.id LIMIT $scenes_max
  MATCH (m:Message)-[:PART_OF]->(scene)
  WITH scene, m ORDER BY m.said_ms, m.position, m.id
  WITH scene, collect(m {.id, .uri, .role, .speaker, .text, .position, .content_hash, .importance, .zone, .emotion, .episode_id,
                    said_at: toString(m.said_at), received_at: toString(m.received_at),
                    mentioned_start: toString(m.mentioned_start), mentioned_end: toString(m.mentioned_end)}) AS scene_messages
  RETURN collect({id: scene.id, uri: scene.uri, properties: scene {.name, .abstract, .abstract_by, .layers_n, .layers_hash,
                  .layers_behind, .overview_pending, .unextracted}, messages: scene_messages}) AS scenes
}
CALL (s) {
  MATCH (newest:Scene {tenant: $tenant, session_id: s.id})
  USING INDEX SEEK newest:Scene(tenant, session_id, start_ms)
  WHERE newest.start_ms IS NOT NULL
  RETURN max(newest.start_ms) AS newest_ms
}
RETURN s.uri AS session_uri, s.user_id AS user_id, s.agent_id AS agent_id, properties(u) AS user_properties, scenes, newest_ms,
       coalesce(l.state, 'closed') = 'active' AS active
