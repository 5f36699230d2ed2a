// Number of corrections, merges and rejected merges that people made in one user's memory since a time. Indexes session_lifecycle_user,
// rejected_merge_user; few nodes have the label MemberEntity.
// $tenant: str
// $user_id: str
// $since: datetime
// $since_ms: int
// $prefix: str, of the ids of correction sessions
// $automatic: str, reason of merges that no person made
// -> settled
CALL () {
  MATCH (l:SessionLifecycle {tenant: $tenant, user_id: $user_id})
  WHERE l.last_ms >= $since_ms AND l.session_id STARTS WITH $prefix
  RETURN count(l) AS n
 UNION ALL
  MATCH (k:RejectedMerge {tenant: $tenant, user_id: $user_id}) WHERE k.at >= $since
  RETURN count(k) AS n
 UNION ALL
  MATCH (h:MemberEntity {tenant: $tenant})
  WHERE h.user_id = $user_id AND h.parent_id IS NOT NULL AND h.merged_at >= $since AND h.merge_reason <> $automatic
  RETURN count(h) AS n
}
RETURN sum(n) AS settled
