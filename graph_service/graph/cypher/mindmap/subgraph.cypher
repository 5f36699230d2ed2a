// Some nodes and the relationships between them: valid facts first, then ended ones, then mentions.
// One row of lists, nodes in the order of map_nodes_by_id and relationships in that of map_facts. Unique index memory_id.
// hot
// $tenant: str
// $ids: list of node ids
// $valid_at: datetime; only facts that had started by then; null: all
// $known_at: datetime; only facts known by then; null: all
// $closed: bool; include ended facts
// $rows_max: int; of edges
// -> nodes, edges
CALL () {
  UNWIND $ids AS id
  MATCH (n:Memory {tenant: $tenant, id: id})
  RETURN collect(n) AS found
}
CALL (found) {
  UNWIND found AS s
  MATCH (s)-[r]->(o:Memory)
  WHERE r.tenant = $tenant AND o.id IN $ids
    AND {{started r}}
  WITH s, r, o, size(coalesce(r.evidence, [])) AS evidence_n,
       CASE WHEN type(r) = 'MENTIONED' THEN 2 WHEN {{open r}} THEN 0 ELSE 1 END AS validity_rank
  WHERE $closed OR validity_rank <> 1
  WITH s, r, o, evidence_n, validity_rank ORDER BY validity_rank, r.strength DESC, r.last_seen DESC, r.id
  LIMIT $rows_max
  RETURN collect([{{map_edge r}}]) AS edges
}
RETURN [n IN found | [{{map_node n}}]] AS nodes, edges
