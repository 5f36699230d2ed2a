// The user, agent or entity with this id, and the latest sessions of a user; no row if there is none. Unique index memory_id.
// $tenant: str
// $id: str
// $sessions_max: int
// -> name, uri, is_entity, sessions
// sessions: list of {title, abstract, last_at}, latest first; empty for others
MATCH (p:Memory {tenant: $tenant, id: $id}) WHERE p:User OR p:Agent OR p:Entity
CALL (p) {
  WITH p WHERE p:User
  MATCH (l:SessionLifecycle {tenant: $tenant, user_id: p.user_id}) WHERE l.title IS NOT NULL AND NOT l.session_id STARTS WITH 'by-hand:'
  WITH l ORDER BY l.tenant DESC, l.user_id DESC, l.last_ms DESC LIMIT $sessions_max
  RETURN collect(l {.title, .abstract, .last_at}) AS sessions
}
RETURN coalesce(p.name, p.user_id) AS name, p.uri AS uri, p:Entity AS is_entity, sessions
