// Entities of a user whose names or aliases share words with a scene, best match first, then those mentioned last; and the end of the
// last scene of the session that starts before it. Full-text index entity_words, indexes memory_user and scene_session.
// $tenant: str
// $user_id: str
// $session: str
// $start_ms: int, start of the scene
// $start: datetime, the same; entities that this scene or a later one named first are left out
// $query: str, full-text query for the words of the scene; limited to the user
// $names_max: int, of each kind
// $aliases_max: int
// $lines_max: int
// $chars_max: int, characters of each line
// -> matching, recent, before
// matching, recent: lists of {name, entity_type, aliases}
// before: {id, start_ms, abstract, lines}, lines oldest first: {id, role, speaker, text, said_at}; null for the first scene
CALL () {
  CALL db.index.fulltext.queryNodes('entity_words', $query, {limit: $names_max}) YIELD node AS e, score
  WITH e, score WHERE e.tenant = $tenant AND e.user_id = $user_id AND e.first_seen < $start
  WITH e ORDER BY score DESC, e.id
  RETURN collect(e {.name, .entity_type, aliases: coalesce(e.aliases, [])[0..$aliases_max]}) AS matching
}
CALL () {
  MATCH (e:Memory {tenant: $tenant, user_id: $user_id})
  USING INDEX SEEK e:Memory(tenant, user_id)
  WHERE e:Entity AND e.first_seen < $start
  WITH e ORDER BY e.last_seen DESC, e.id LIMIT $names_max
  RETURN collect(e {.name, .entity_type, aliases: coalesce(e.aliases, [])[0..$aliases_max]}) AS recent
}
CALL () {
  OPTIONAL MATCH (s:Scene {tenant: $tenant, session_id: $session})
  USING INDEX SEEK s:Scene(tenant, session_id, start_ms)
  WHERE s.start_ms < $start_ms
  WITH s ORDER BY s.start_ms DESC, s.id LIMIT 1
  OPTIONAL MATCH (m:Message)-[:PART_OF]->(s)
  WITH s, m ORDER BY m.said_ms DESC, m.position DESC, m.id DESC LIMIT $lines_max
  WITH s, m ORDER BY m.said_ms, m.position, m.id
  WITH s, collect(m {.id, .role, .speaker, .said_at, text: left(m.text, $chars_max)}) AS lines
  RETURN CASE WHEN s IS NULL THEN null ELSE s {.id, .start_ms, .abstract, lines: lines} END AS before
}
RETURN matching, recent, before
