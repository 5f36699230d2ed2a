// Whether messages of a user or session wait to be read. Indexes lifecycle_user, message_unread, scene_unextracted.
// $tenant: str
// $user_id: str
// $session_id: str or null; only this session
// -> waiting
RETURN EXISTS {
  MATCH (l:SessionLifecycle {tenant: $tenant, user_id: $user_id})
  WHERE l.last_ms IS NOT NULL AND ($session_id IS NULL OR l.session_id = $session_id)
    AND (EXISTS { MATCH (m:Message {tenant: $tenant, session_id: l.id, unread: true}) }
         OR EXISTS { MATCH (s:Scene {tenant: $tenant, session_id: l.id, unextracted: true}) })
} AS waiting
