// Input of one digest of a session in one round trip: the session, its user, messages without a scene (oldest first), unread episodes,
// and the scenes that may take messages or that the episodes are about. Each list is cut at its limit; the next digest reads the rest.
// hot
// $tenant: str
// $session: str
// $messages_max: int
// $chars_max: int; the message that exceeds it is the last, so that at least one is read
// $pause_ms: int, maximum distance between a message and a scene that may take it
// $span_ms: int, maximum length of a scene
// $episodes_max: int
// $facts_chars_max: int, characters of provided facts; the episode that exceeds it is the last, so that at least one is read
// $references_max: int, messages that provided facts may refer to; the episode that exceeds it is the last
// $include_pending_overviews: bool, also scenes that wait for an overview by a model
// $until_ms: int or null; only messages before this time
// -> session_uri, user_id, agent_id, user_properties, messages, messages_left, episodes, episodes_left, scenes, newest_ms
// Times of messages are ISO texts, because dates are slow in the driver.
// newest_ms: start of the latest scene; null without scenes
// messages_left, episodes_left: bool, the list was cut
// Unread episodes are those of the messages, then the oldest others, except episodes that refer to a message which waits for a later
// digest and came with another episode: once marked as read, such an episode would not be found by that message.
// Scenes are searched around the times of messages, in steps of a pause, so that one old and one new message do not return all scenes
// between them. One step more on each side covers the pause and the rounding towards 1970.
// Indexes are named because a plan made while nothing waits would scan everything that waits, or all messages.
// scenes: {id, uri, properties, messages}, each with all its messages, because a scene is always read as a whole.
MATCH (s:Session {tenant: $tenant, id: $session})
MATCH (u:Memory {tenant: $tenant, id: s.user_node_id})
CALL (s) {
  MATCH (m:Message {tenant: $tenant, session_id: s.id, unread: true})
  USING INDEX SEEK m:Message(tenant, session_id, unread)
  WHERE $until_ms IS NULL OR m.said_ms < $until_ms
  WITH m ORDER BY m.said_ms, m.position, m.id LIMIT $messages_max
  WITH collect(m) AS waiting
  WITH waiting, reduce(taken = {n: 0, left: $chars_max}, m IN waiting |
    CASE WHEN taken.left > 0 THEN {n: taken.n + 1, left: taken.left - CASE WHEN m.text IS :: STRING NOT NULL THEN size(m.text) ELSE 0 END}
    ELSE taken END).n AS readable
  CALL (waiting) {
    UNWIND range(0, size(waiting) - 1) AS place
    WITH waiting[place].episode_id AS id, min(place) AS place
    WHERE id IS NOT NULL
    MATCH (came:Episode {tenant: $tenant, id: id})
    USING INDEX SEEK came:Episode(tenant, id)
    WITH place, CASE WHEN came.facts IS :: STRING NOT NULL THEN size(came.facts) ELSE 0 END AS chars ORDER BY place
    RETURN collect({place: place, chars: chars}) AS brought
  }
  WITH waiting, readable, reduce(taken = {n: size(waiting), left: $facts_chars_max}, one IN brought |
    CASE WHEN taken.left > 0 THEN {n: taken.n, left: taken.left - one.chars}
    ELSE {n: CASE WHEN one.place < taken.n THEN one.place ELSE taken.n END, left: taken.left} END).n AS affordable
  WITH waiting, CASE WHEN affordable < readable THEN affordable ELSE readable END AS count
  WITH waiting[0..count] AS taken, size(waiting) = $messages_max OR count < size(waiting) AS messages_left
  CALL (taken) {
    UNWIND taken AS m
    RETURN collect(m {.id, .uri, .role, .speaker, .text, .position, .content_hash, .importance, .zone, .emotion, .episode_id,
                      said_at: toString(m.said_at), received_at: toString(m.received_at),
                      mentioned_start: toString(m.mentioned_start), mentioned_end: toString(m.mentioned_end)}) AS messages,
           collect(DISTINCT CASE WHEN m.said_ms IS :: INTEGER NOT NULL THEN m.said_ms / ($pause_ms + 1) END) AS steps
  }
  RETURN messages, messages_left, steps, [m IN taken | m.id] AS taken_ids,
         [m IN taken WHERE m.episode_id IS NOT NULL | m.episode_id] AS came_with
}
CALL (s, messages_left, taken_ids, came_with) {
  CALL (s, came_with) {
    UNWIND came_with AS id
    MATCH (e:Episode {tenant: $tenant, id: id})
    USING INDEX SEEK e:Episode(tenant, id)
    WHERE e.unread
    RETURN e
   UNION
    MATCH (e:Episode {tenant: $tenant, session_id: s.id, unread: true})
    USING INDEX SEEK e:Episode(tenant, session_id, unread)
    WITH e ORDER BY e.received_at, e.id LIMIT $episodes_max
    RETURN e
  }
  CALL (s, messages_left, taken_ids, e) {
    UNWIND CASE WHEN messages_left OR $until_ms IS NOT NULL THEN e.message_ids ELSE [] END AS id
    MATCH (later:Message {tenant: $tenant, id: id})
    USING INDEX SEEK later:Message(tenant, id)
    WHERE later.unread AND later.session_id = s.id AND coalesce(later.episode_id, '') <> e.id AND NOT id IN taken_ids
    RETURN count(later) AS later_n
  }
  WITH e, later_n, CASE WHEN e.id IN came_with THEN 0 ELSE 1 END AS turn ORDER BY turn, e.received_at, e.id
  WITH collect({e: e, eligible: later_n = 0}) AS found
  WITH size(found) >= $episodes_max AS full, [one IN found WHERE one.eligible | one.e] AS eligible
  WITH full, eligible, reduce(taken = {n: 0, chars: $facts_chars_max, references: $references_max}, e IN eligible |
    CASE WHEN taken.chars > 0 AND taken.references > 0 THEN {
      n: taken.n + 1,
      chars: taken.chars - CASE WHEN e.facts IS :: STRING NOT NULL THEN size(e.facts) ELSE 0 END,
      references: taken.references - CASE WHEN e.message_ids IS :: LIST<STRING NOT NULL> NOT NULL THEN size(e.message_ids) ELSE 0 END}
    ELSE taken END).n AS count
  WITH eligible[0..count] AS taken, full OR count < size(eligible) AS episodes_left
  CALL (taken) {
    UNWIND taken AS e
    WITH e ORDER BY e.received_at, e.id
    RETURN collect(e {.id, .message_ids, .facts, .summary}) AS episodes
  }
  RETURN episodes, episodes_left
}
CALL (s, steps, episodes) {
  CALL (s, steps, episodes) {
    UNWIND steps AS step
    WITH s, (step - 1) * ($pause_ms + 1) - $pause_ms AS from_ms, (step + 1) * ($pause_ms + 1) + $pause_ms AS until_ms
    MATCH (scene:Scene {tenant: $tenant, session_id: s.id})
    USING INDEX SEEK scene:Scene(tenant, session_id, start_ms)
    WHERE scene.start_ms <= until_ms AND scene.start_ms >= from_ms - $span_ms AND scene.end_ms >= from_ms
    RETURN scene
   UNION
    MATCH (scene:Scene {tenant: $tenant, session_id: s.id, unextracted: true})
    USING INDEX SEEK scene:Scene(tenant, session_id, unextracted)
    WHERE $until_ms IS NULL OR scene.start_ms < $until_ms
    RETURN scene
   UNION
    MATCH (scene:Scene {tenant: $tenant, session_id: s.id, layers_behind: true})
    USING INDEX SEEK scene:Scene(tenant, session_id, layers_behind)
    RETURN scene
   UNION
    MATCH (scene:Scene {tenant: $tenant, session_id: s.id})
    USING INDEX SEEK scene:Scene(tenant, session_id, start_ms)
    WHERE $include_pending_overviews AND scene.start_ms >= 0 AND scene.overview_pending
    RETURN scene
   UNION
    UNWIND episodes AS episode
    UNWIND episode.message_ids AS message_id
    MATCH (referenced:Message {tenant: $tenant, id: message_id})-[:PART_OF]->(scene:Scene)
    USING INDEX SEEK referenced:Message(tenant, id)
    RETURN scene
  }
  MATCH (m:Message)-[:PART_OF]->(scene)
  WITH scene, m ORDER BY m.said_ms, m.position, m.id
  WITH scene, collect(m {.id, .uri, .role, .speaker, .text, .position, .content_hash, .importance, .zone, .emotion, .episode_id,
                    said_at: toString(m.said_at), received_at: toString(m.received_at),
                    mentioned_start: toString(m.mentioned_start), mentioned_end: toString(m.mentioned_end)}) AS scene_messages
  RETURN collect({id: scene.id, uri: scene.uri, properties: scene {.name, .abstract, .abstract_by, .layers_n, .layers_hash,
                  .layers_behind, .overview_pending, .unextracted, .unrefined}, messages: scene_messages}) AS scenes
}
CALL (s) {
  MATCH (newest:Scene {tenant: $tenant, session_id: s.id})
  USING INDEX SEEK newest:Scene(tenant, session_id, start_ms)
  WHERE newest.start_ms IS NOT NULL
  RETURN max(newest.start_ms) AS newest_ms
}
RETURN s.uri AS session_uri, s.user_id AS user_id, s.agent_id AS agent_id, properties(u) AS user_properties, messages,
       messages_left, episodes, episodes_left, scenes, newest_ms
