// A page of the facts in one user's memory, latest valid_at first, as in facts_page. Index memory_user.
// $tenant: str
// $user_id: str
// $valid_at: datetime; only facts that had started by then
// $known_at: datetime; only facts known by then; null: all
// $closed: bool; include ended facts
// $text: str, in lower case; only facts with it in the statement or a name; empty: all
// $by_evidence: bool, $session, $agent or $tags is given: one message of the evidence must fit all of them
// $session: str, id of a Session node, or empty
// $agent: str, the caller's id of an agent, or empty
// $tags: list of str, or empty
// $with_metadata: bool, return the metadata of the evidence
// $at: int or null; start in microseconds since 1970; with $id: only facts after this position
// $id: str or null; fact id
// $rows_max: int
// -> fact, metadata
MATCH (n:Memory {tenant: $tenant, user_id: $user_id})-[r]->(o:Memory)
WHERE type(r) <> 'MENTIONED' AND r.tenant = $tenant AND {{begun r}}
  AND ($text = '' OR toLower(r.statement) CONTAINS $text OR toLower(n.name) CONTAINS $text OR toLower(o.name) CONTAINS $text)
WITH r, r.valid_at.epochSeconds * 1000000 + r.valid_at.microsecond AS at, {{open r}} AS open
WHERE ($closed OR open) AND ($at IS NULL OR at < $at OR (at = $at AND r.id > $id))
  AND (NOT $by_evidence OR EXISTS {
    UNWIND r.evidence AS proof
    MATCH (m:Message {tenant: $tenant, id: proof})
    WHERE $session IN ['', m.session_id] AND $agent IN ['', m.agent_id] AND ($tags = [] OR any(tag IN m.tags WHERE tag IN $tags)) RETURN m })
WITH r, at ORDER BY at DESC, r.id LIMIT $rows_max
RETURN {{listed_fact r}} AS fact,
       CASE WHEN $with_metadata THEN COLLECT { UNWIND r.evidence AS proof MATCH (m:Message {tenant: $tenant, id: proof}) RETURN m.metadata }
            ELSE [] END AS metadata
