// How much a tenant holds that a sync looks at.
// $tenant: str
// -> things
CALL () {
  MATCH (m:Message {tenant: $tenant}) RETURN count(m) AS n
 UNION ALL
  MATCH (m:Memory {tenant: $tenant}) RETURN count(m) AS n
 UNION ALL
  MATCH (s:Session {tenant: $tenant}) RETURN count(s) AS n
}
RETURN sum(n) AS things
