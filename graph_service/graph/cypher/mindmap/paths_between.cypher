// Shortest paths between two nodes as lists of node ids, with the head of the change log. One row.
// `direct`: shortest paths without users or agents in between, which are connected to everything; `all_paths`: all shortest paths.
// Unique indexes memory_id, tenant_id.
// hot
// $tenant: str
// $user_id: str, or null for everybody in the tenant
// $source: str
// $target: str
// $valid_at: datetime; only facts that had started by then; null: all
// $known_at: datetime; only facts known by then; null: all
// $closed: bool; include ended facts
// $rows_max: int, of each list
// -> epoch, seq, direct, all_paths
OPTIONAL MATCH (t:Tenant {id: $tenant})
WITH coalesce(t.epoch, '') AS epoch, coalesce(t.seq, 0) AS seq
CALL () {
  MATCH (a:Memory {tenant: $tenant, id: $source}), (b:Memory {tenant: $tenant, id: $target})
  WHERE a <> b AND ($user_id IS NULL OR a.user_id = $user_id AND b.user_id = $user_id)
  MATCH path = allShortestPaths((a)-[:{{predicates}}|MENTIONED*..8]-(b))
  WHERE all(n IN nodes(path) WHERE n.tenant = $tenant AND {{not_correction n}} AND ($user_id IS NULL OR n.user_id = $user_id)
    AND (n = a OR n = b OR NOT (n:User OR n:Agent)))
    AND all(r IN relationships(path) WHERE {{started r}}
      AND ($closed OR {{open r}}))
  WITH path, reduce(sum = 0.0, r IN relationships(path) | sum + CASE
      WHEN type(r) = 'MENTIONED' THEN 0.0
      WHEN {{open r}} THEN 1 + r.strength ELSE 0.5 END) AS weight
  WITH [n IN nodes(path) | n.id] AS ids, max(weight) AS weight
  ORDER BY weight DESC, ids LIMIT $rows_max
  RETURN collect(ids) AS direct
}
CALL () {
  MATCH (a:Memory {tenant: $tenant, id: $source}), (b:Memory {tenant: $tenant, id: $target})
  WHERE a <> b AND ($user_id IS NULL OR a.user_id = $user_id AND b.user_id = $user_id)
  MATCH path = allShortestPaths((a)-[:{{predicates}}|MENTIONED*..8]-(b))
  WHERE all(n IN nodes(path) WHERE n.tenant = $tenant AND {{not_correction n}} AND ($user_id IS NULL OR n.user_id = $user_id))
    AND all(r IN relationships(path) WHERE {{started r}}
      AND ($closed OR {{open r}}))
  WITH path, reduce(sum = 0.0, r IN relationships(path) | sum + CASE
      WHEN type(r) = 'MENTIONED' THEN 0.0
      WHEN {{open r}} THEN 1 + r.strength ELSE 0.5 END) AS weight
  WITH [n IN nodes(path) | n.id] AS ids, max(weight) AS weight
  ORDER BY weight DESC, ids LIMIT $rows_max
  RETURN collect(ids) AS all_paths
}
RETURN epoch, seq, direct, all_paths
