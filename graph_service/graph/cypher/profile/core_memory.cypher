// A user's core memory: the facts of the profile, lasting triggers, and facts that have ended. Unique index memory_id for the user,
// index caused_by_user for causes, message_id for their evidence.
// hot
// $tenant: str
// $user_id: str
// $user_node_id: str
// $valid_at: datetime; only facts valid at this time
// $known_at: datetime, transaction time: only what was known then; null: all
// $as_marked: bool; leave out facts marked as excluded from the profile; the marks are only right for the present
// $facts_max: int
// $triggers_max: int
// $closed_max: int, ended facts, latest end first
// -> user_uri, names, facts, triggers, closed
// Each fact is a list: [id, uri, statement, predicate, relation, object_id, kind, importance, strength,
// confidence, first_us, last_us, valid_ms, invalid_ms, trigger_emotion, evidence, scenes, zone], of ended facts also whether only their
// end was told, and whether a person rejected them. No row for an unknown user.
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
CALL (u) {
  MATCH (u)-[r:{{predicates}}]->(b:Memory)
  WHERE r.tenant = $tenant AND {{holds r}}
    AND (r.profile_exclusion IS NULL OR NOT $as_marked)
  WITH r, b ORDER BY r.importance DESC, r.confidence DESC, r.last_seen DESC, r.id LIMIT $facts_max
  RETURN collect([{{core_fact r}}]) AS facts
}
CALL (u) {
  // Causes between other nodes concern the user if the user said so, or has a fact about the effect.
  // Index hint: with few causes in the database the planner would scan the causes of all tenants.
  MATCH (a:Memory)-[r:CAUSED_BY {tenant: $tenant, user_id: $user_id}]->(b:Memory)
  USING INDEX r:CAUSED_BY(tenant, user_id)
  WHERE a <> u AND {{holds r}}
  WITH u, a, r, b ORDER BY r.strength DESC, r.confidence DESC, r.last_seen DESC, r.id LIMIT $triggers_max
  WHERE b = u
    OR EXISTS { MATCH (u)-[:{{predicates}}]->(a) }
    OR EXISTS { MATCH (m:Message {tenant: $tenant}) WHERE m.id IN r.evidence AND m.role = 'user' }
  RETURN collect([{{core_fact r}}]) AS triggers
}
CALL (u) {
  MATCH (u)-[r:{{predicates}}]->(b:Memory)
  WHERE r.tenant = $tenant AND r.invalid_at <= $valid_at AND {{end_known r}}
    // Part of another fact, which has not ended with it.
    AND coalesce(r.closing_reason, '') <> 'merged'
  WITH r, b ORDER BY r.invalid_at DESC, r.id LIMIT $closed_max
  RETURN collect([{{core_fact r}}, {{told_as_ended r}}, coalesce(r.closing_reason = 'rejected', false)]) AS closed
}
RETURN u.uri AS user_uri, [u.name] + coalesce(u.aliases, []) AS names, facts, triggers, closed
