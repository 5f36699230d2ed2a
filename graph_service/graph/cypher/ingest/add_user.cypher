// Create the user who owns the memory, or add a new name; of other names the first 64 are kept.
// hot
// $tenant: str
// $user: map {id, uri, user_id, name or null, key, first_seen, last_seen}
// -> properties
MERGE (u:Memory {tenant: $tenant, id: $user.id})
  ON CREATE SET u:User, u.uri = $user.uri, u.user_id = $user.user_id, u.key = $user.key, u.aliases = [],
                u.name = coalesce($user.name, $user.user_id), u.first_seen = $user.first_seen, u.last_seen = $user.last_seen
SET u.aliases = CASE WHEN $user.name IS NULL OR $user.name = u.name OR $user.name IN u.aliases OR u.name = u.user_id
                          OR size(u.aliases) >= 64
                     THEN u.aliases ELSE u.aliases + $user.name END,
    u.name = CASE WHEN $user.name IS NOT NULL AND u.name = u.user_id THEN $user.name ELSE u.name END
RETURN properties(u) AS properties
