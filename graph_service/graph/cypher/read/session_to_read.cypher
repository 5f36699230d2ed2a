// What a digest of a session starts from, in one round trip: the session, its user, the messages no scene holds yet (oldest
// first), facts that callers brought and nobody has read, and the scenes that may take messages or that brought facts speak of.
// hot
// $tenant: str
// $session: str
// $messages_max: int
// $chars_max: int; the message that reaches it is the last, so that one is always read
// $pause_ms: int, how far from a message a scene may lie to take it
// $owed: bool, also scenes that wait for an overview by a model
// $until_ms: int or null; only what was said before
// -> session_uri, user_id, agent_id, user_properties, revision, messages, episodes, scenes, newest_ms
// Moments of messages are ISO texts, because dates are what the driver spends its time on.
// newest_ms: when the latest scene begins; null without scenes
// Indexes are named where the statement, planned while nothing waits, would go through all that waits, or all messages.
// scenes: {id, uri, properties, messages}. Each scene comes whole, because it is always read as a whole.
MATCH (s:Session {tenant: $tenant, id: $session})
MATCH (u:Memory {tenant: $tenant, id: s.user_node_id})
OPTIONAL MATCH (v:Revision {tenant: $tenant, id: s.user_node_id})
WITH s, u, coalesce(v.revision, 0) AS revision
CALL (s) {
  MATCH (m:Message {tenant: $tenant, session_id: s.id, unread: true})
  USING INDEX SEEK m:Message(tenant, session_id, unread)
  WHERE $until_ms IS NULL OR m.said_ms < $until_ms
  WITH m ORDER BY m.said_ms, m.position, m.id LIMIT $messages_max
  WITH collect(m) AS waiting
  WITH waiting, reduce(taken = {n: 0, left: $chars_max}, m IN waiting |
    CASE WHEN taken.left > 0 THEN {n: taken.n + 1, left: taken.left - CASE WHEN m.text IS :: STRING NOT NULL THEN size(m.text) ELSE 0 END}
    ELSE taken END).n AS count
  UNWIND waiting[0..count] AS m
  RETURN collect(m {.id, .uri, .role, .speaker, .text, .position, .content_hash, .importance, .zone, .episode_id,
                    said_at: toString(m.said_at), received_at: toString(m.received_at),
                    mentioned_start: toString(m.mentioned_start), mentioned_end: toString(m.mentioned_end)}) AS messages,
         min(m.said_ms) AS first_ms, max(m.said_ms) AS last_ms
}
CALL (s) {
  MATCH (e:Episode {tenant: $tenant, session_id: s.id, unread: true})
  USING INDEX SEEK e:Episode(tenant, session_id, unread)
  WITH e ORDER BY e.received_at, e.id
  RETURN collect(e {.id, .message_ids, .facts, .summary}) AS episodes
}
CALL (s, first_ms, last_ms, episodes) {
  CALL (s, first_ms, last_ms, episodes) {
    MATCH (near:Scene {tenant: $tenant, session_id: s.id})
    USING INDEX SEEK near:Scene(tenant, session_id, start_ms)
    WHERE near.start_ms <= last_ms + $pause_ms AND near.end_ms >= first_ms - $pause_ms
    RETURN near
   UNION
    MATCH (near:Scene {tenant: $tenant, session_id: s.id, unextracted: true})
    USING INDEX SEEK near:Scene(tenant, session_id, unextracted)
    WHERE $until_ms IS NULL OR near.start_ms < $until_ms
    RETURN near
   UNION
    MATCH (near:Scene {tenant: $tenant, session_id: s.id, layers_behind: true})
    USING INDEX SEEK near:Scene(tenant, session_id, layers_behind)
    RETURN near
   UNION
    MATCH (near:Scene {tenant: $tenant, session_id: s.id})
    USING INDEX SEEK near:Scene(tenant, session_id, start_ms)
    WHERE $owed AND near.start_ms >= 0 AND near.overview_owed
    RETURN near
   UNION
    UNWIND episodes AS episode
    UNWIND episode.message_ids AS message_id
    MATCH (told:Message {tenant: $tenant, id: message_id})-[:PART_OF]->(near:Scene)
    USING INDEX SEEK told:Message(tenant, id)
    RETURN near
  }
  MATCH (m:Message)-[:PART_OF]->(near)
  WITH near, m ORDER BY m.said_ms, m.position, m.id
  WITH near, collect(m {.id, .uri, .role, .speaker, .text, .position, .content_hash, .importance, .zone, .episode_id,
                    said_at: toString(m.said_at), received_at: toString(m.received_at),
                    mentioned_start: toString(m.mentioned_start), mentioned_end: toString(m.mentioned_end)}) AS held
  RETURN collect({id: near.id, uri: near.uri, properties: near {.name, .abstract, .layers_by, .layers_n, .layers_hash,
                  .layers_behind, .overview_owed, .unextracted}, messages: held}) AS scenes
}
CALL (s) {
  MATCH (newest:Scene {tenant: $tenant, session_id: s.id})
  USING INDEX SEEK newest:Scene(tenant, session_id, start_ms)
  WHERE newest.start_ms IS NOT NULL
  RETURN max(newest.start_ms) AS newest_ms
}
RETURN s.uri AS session_uri, s.user_id AS user_id, s.agent_id AS agent_id, properties(u) AS user_properties, revision, messages, episodes,
       scenes, newest_ms
