// Number of a tenant's elements that a sync checks.
// $tenant: str
// -> elements
CALL () {
  MATCH (m:Message {tenant: $tenant}) RETURN count(m) AS n
 UNION ALL
  MATCH (m:Memory {tenant: $tenant}) RETURN count(m) AS n
 UNION ALL
  MATCH (s:Session {tenant: $tenant}) RETURN count(s) AS n
 UNION ALL
  MATCH (i:Item {tenant: $tenant}) RETURN count(i) AS n
}
RETURN sum(n) AS elements
