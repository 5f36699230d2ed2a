// Users and newest scenes of a large memory, scenes in the order of index scene_recent, so that not all are sorted.
// $tenant: str
// $users: list of user ids
// $rows_max: int
// -> users, scenes
CALL () {
  MATCH (u:User {tenant: $tenant})
  WHERE u.user_id IN $users
  WITH u ORDER BY u.last_seen DESC, u.id LIMIT $rows_max
  RETURN collect(u.id) AS users
}
CALL () {
  MATCH (s:Scene)
  WHERE s.tenant = $tenant AND s.last_seen IS NOT NULL AND s.user_id IN $users AND {{not_correction s}}
  WITH s ORDER BY s.tenant DESC, s.last_seen DESC LIMIT $rows_max
  RETURN collect(s.id) AS scenes
}
RETURN users, scenes
