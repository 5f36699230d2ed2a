// A page of the keys of messages in the order in which they were said; those of the same time in the order in which they were stored.
// Further parts of long texts, and messages of corrections unless their session is given, are left out.
// Indexes message_order, message_user.
// $tenant: str
// $users: list of user ids
// $session: str, node id of the only session to list, or ''
// $newest_first: bool
// $edge_ms: int; only messages said at or after it, or at or before it with $newest_first
// $after: list, the key after which the page begins, or null
// $prefix: str, of the ids of correction sessions
// $rows_max: int
// -> id, key, user_id, tags, metadata, chars
// key: [said_ms, microsecond of storing, position, id]; chars: upper bound of the length of text and payload
CALL () {
  UNWIND CASE WHEN NOT $newest_first AND $session <> '' THEN [$session] ELSE [] END AS scope
  CALL (scope) {
    MATCH (m:Message {tenant: $tenant, session_id: scope})
    USING INDEX SEEK m:Message(tenant, session_id, said_ms, position)
    WHERE m.said_ms >= $edge_ms AND m.position IS NOT NULL AND m.part_of IS NULL
    WITH m, coalesce(m.created_at, m.received_at) AS stored
    WITH m, coalesce(stored.epochSeconds * 1000000 + stored.microsecond, 0) AS stored_us
    WHERE $after IS NULL OR [m.said_ms, stored_us, m.position, m.id] > $after
    RETURN m, stored_us
    ORDER BY m.tenant, m.session_id, m.said_ms, stored_us, m.position, m.id LIMIT $rows_max
  }
  RETURN m, stored_us
 UNION ALL
  UNWIND CASE WHEN $newest_first AND $session <> '' THEN [$session] ELSE [] END AS scope
  CALL (scope) {
    MATCH (m:Message {tenant: $tenant, session_id: scope})
    USING INDEX SEEK m:Message(tenant, session_id, said_ms, position)
    WHERE m.said_ms <= $edge_ms AND m.position IS NOT NULL AND m.part_of IS NULL
    WITH m, coalesce(m.created_at, m.received_at) AS stored
    WITH m, coalesce(stored.epochSeconds * 1000000 + stored.microsecond, 0) AS stored_us
    WHERE $after IS NULL OR [m.said_ms, stored_us, m.position, m.id] < $after
    RETURN m, stored_us
    ORDER BY m.tenant DESC, m.session_id DESC, m.said_ms DESC, stored_us DESC, m.position DESC, m.id DESC LIMIT $rows_max
  }
  RETURN m, stored_us
 UNION ALL
  UNWIND CASE WHEN NOT $newest_first AND $session = '' THEN $users ELSE [] END AS scope
  CALL (scope) {
    MATCH (m:Message {tenant: $tenant, user_id: scope})
    USING INDEX SEEK m:Message(tenant, user_id, said_ms)
    WHERE m.said_ms >= $edge_ms AND m.part_of IS NULL
      AND NOT EXISTS { MATCH (x:Session {tenant: $tenant, id: m.session_id}) WHERE x.session_id STARTS WITH $prefix }
    WITH m, coalesce(m.created_at, m.received_at) AS stored
    WITH m, coalesce(stored.epochSeconds * 1000000 + stored.microsecond, 0) AS stored_us
    WHERE $after IS NULL OR [m.said_ms, stored_us, m.position, m.id] > $after
    RETURN m, stored_us
    ORDER BY m.tenant, m.user_id, m.said_ms, stored_us, m.position, m.id LIMIT $rows_max
  }
  RETURN m, stored_us
 UNION ALL
  UNWIND CASE WHEN $newest_first AND $session = '' THEN $users ELSE [] END AS scope
  CALL (scope) {
    MATCH (m:Message {tenant: $tenant, user_id: scope})
    USING INDEX SEEK m:Message(tenant, user_id, said_ms)
    WHERE m.said_ms <= $edge_ms AND m.part_of IS NULL
      AND NOT EXISTS { MATCH (x:Session {tenant: $tenant, id: m.session_id}) WHERE x.session_id STARTS WITH $prefix }
    WITH m, coalesce(m.created_at, m.received_at) AS stored
    WITH m, coalesce(stored.epochSeconds * 1000000 + stored.microsecond, 0) AS stored_us
    WHERE $after IS NULL OR [m.said_ms, stored_us, m.position, m.id] < $after
    RETURN m, stored_us
    ORDER BY m.tenant DESC, m.user_id DESC, m.said_ms DESC, stored_us DESC, m.position DESC, m.id DESC LIMIT $rows_max
  }
  RETURN m, stored_us
}
WITH m, [m.said_ms, stored_us, m.position, m.id] AS key,
     CASE WHEN $newest_first THEN [-m.said_ms, -stored_us, -m.position] ELSE [m.said_ms, stored_us, m.position] END AS rank
ORDER BY rank[0], rank[1], rank[2], CASE WHEN $newest_first THEN null ELSE m.id END, m.id DESC LIMIT $rows_max
RETURN m.id AS id, key, m.user_id AS user_id, m.tags AS tags, m.metadata AS metadata,
       CASE WHEN m.text IS :: STRING NOT NULL THEN size(m.text) ELSE 0 END
         + CASE WHEN m.raw IS :: STRING NOT NULL THEN size(m.raw) ELSE 0 END + 100000 * coalesce(size(m.parts), 0) AS chars
