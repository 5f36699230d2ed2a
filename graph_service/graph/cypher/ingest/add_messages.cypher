// Store the new messages of episodes, in the order of the list, with their sessions, and enqueue their jobs.
// hot
// $episodes: list of {place, tenant, epoch, now, now_ms, user_node_id, user_name, session_node_id, session, episode, rows}
// -> place, id, stored_key, is_new, user_known, forgetting
// epoch: str, used only when the tenant is new; session: map of its properties; episode: {id, message_ids, facts, summary} or null;
// rows: list of {id, repeat_key, properties}, ordered by id.
// One row per message. forgetting: the user is being erased, and nothing may be stored until that is done.
// Locks the session's extract job first (SET touched_ms), so that two calls for one session are serialised
// and the check for existing messages holds until the commit. Do not write the session itself: digests link scenes to it, and a
// node that one writer locks by a property and another by relationships leads to deadlocks. Do not lock the tenant either: all
// writers lock it last.
UNWIND $episodes AS one
CALL (one) {
  MERGE (t:Tenant {id: one.tenant}) ON CREATE SET t.seq = 0, t.epoch = one.epoch, t.created_at = one.now
  MERGE (turn:Job {tenant: one.tenant, id: one.session_node_id + '/extract'})
    ON CREATE SET turn.kind = 'extract', turn.session = one.session_node_id, turn.enqueue_count = 0, turn.attempts = 0, turn.state = 'done'
  SET turn.touched_ms = one.now_ms
  MERGE (s:Session {tenant: one.tenant, id: one.session_node_id})
    ON CREATE SET s += one.session, s.first_at = one.now
  MERGE (life:SessionLifecycle {tenant: one.tenant, id: one.session_node_id})
    ON CREATE SET life.uri = one.session.uri, life.user_id = one.session.user_id, life.session_id = one.session.session_id,
                  life.state = 'active', life.opened_at = one.now, life.last_at = one.now, life.last_ms = one.now_ms
  WITH s, life
  OPTIONAL MATCH (u:Memory {tenant: one.tenant, id: one.user_node_id})
  WITH s, life, u IS NOT NULL AND (one.user_name IS NULL OR u.name = one.user_name OR (one.user_name IN u.aliases AND u.name <> u.user_id)) AS user_known
  UNWIND one.rows AS row
  OPTIONAL MATCH (old:Message {tenant: one.tenant, id: row.id})
  WITH s, life, user_known, row, old.content_hash + '/' + coalesce(old.raw_hash, '') + '/' + coalesce(size(old.parts), 0) AS old_key
  FOREACH (_ IN CASE WHEN old_key IS NULL THEN [1] ELSE [] END | CREATE (m:Message) SET m = row.properties)
  WITH s, life, user_known,
       collect({id: row.id, stored_key: coalesce(old_key, row.repeat_key), is_new: old_key IS NULL}) AS outcome
  FOREACH (_ IN CASE WHEN any(o IN outcome WHERE o.is_new) THEN [1] ELSE [] END |
    SET life.state = 'active', life.last_at = one.now, life.last_ms = one.now_ms, life.close_reason = null, life.closing_at = null, life.closed_at = null)
  FOREACH (_ IN CASE WHEN one.episode IS NULL THEN [] ELSE [1] END |
    MERGE (e:Episode {tenant: one.tenant, id: one.episode.id})
      ON CREATE SET e += one.episode, e.user_id = s.user_id, e.session_id = s.id, e.received_at = one.now, e.unread = true)
  FOREACH (kind IN CASE WHEN any(o IN outcome WHERE o.is_new) OR one.episode IS NOT NULL THEN ['embed', 'extract'] ELSE [] END |
    MERGE (j:Job {tenant: one.tenant, id: s.id + '/' + kind})
      ON CREATE SET j.kind = kind, j.session = s.id, j.enqueue_count = 0, j.attempts = 0
    SET j.touched_ms = one.now_ms
    SET j.attempts = CASE WHEN j.open THEN j.attempts ELSE 0 END,
        j.due_ms = CASE WHEN j.open THEN j.due_ms ELSE one.now_ms END,
        j.enqueue_count = j.enqueue_count + 1, j.open = true, j.state = CASE WHEN j.lease IS NULL THEN 'open' ELSE j.state END)
  WITH user_known, outcome
  UNWIND outcome AS o
  RETURN o.id AS id, o.stored_key AS stored_key, o.is_new AS is_new, user_known,
         EXISTS { (:Job {tenant: one.tenant, id: one.user_node_id + '/forget'}) } AS forgetting
}
RETURN one.place AS place, id, stored_key, is_new, user_known, forgetting
