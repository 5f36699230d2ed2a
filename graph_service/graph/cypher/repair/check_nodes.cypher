// A page of a tenant's users, agents, entities and scenes by id, with the properties that a consistency check compares: for scenes
// messages and vectors, for each node the outgoing facts without existing evidence, or without a matching vector and not waiting for one.
// $tenant: str
// $after: str, the last id of the page before
// $rows_max: int
// $predicates: list of str
// $dim: int, numbers in each vector; 0 when there is no embedder
// -> id, is_scene, user_id, session, messages, abstract_dim, overview_dim, unembedded, unproven, unembedded_facts
// unproven: list of {id, user_id}; unembedded_facts: list of {node, id, user_id, session, dim}. Facts that never had evidence were
// stated by a person and stay; relationships of merged entities are derived from MemberFact.
MATCH (n:Memory {tenant: $tenant}) WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $rows_max
RETURN n.id AS id, n:Scene AS is_scene, n.user_id AS user_id, n.session_id AS session,
       COUNT { (:Message)-[:PART_OF]->(n) } AS messages, size(n.abstract_embedding) AS abstract_dim,
       size(n.overview_embedding) AS overview_dim, coalesce(n.unembedded, false) AS unembedded,
       COLLECT {
         MATCH (n)-[f]->(:Memory)
         WHERE type(f) IN $predicates AND size(f.evidence) > 0 AND f.merged IS NULL
           AND NOT EXISTS { MATCH (m:Message {tenant: $tenant}) WHERE m.id IN f.evidence }
         RETURN {id: f.id, user_id: f.user_id}
       } AS unproven,
       COLLECT {
         MATCH (n)-[f]->(:Memory)
         WHERE $dim > 0 AND type(f) IN $predicates AND f.statement <> '' AND f.unembedded_in IS NULL AND coalesce(size(f.embedding), 0) <> $dim
         MATCH (m:Message {tenant: $tenant, id: head(f.evidence)})
         RETURN {node: n.id, id: f.id, user_id: f.user_id, session: m.session_id, dim: size(f.embedding)}
       } AS unembedded_facts
