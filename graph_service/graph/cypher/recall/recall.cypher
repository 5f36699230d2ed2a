// Candidates for one question, from every channel, in one round trip: messages by vector, words, stems and the time asked for, with
// what was said around them; scenes and facts by vector, words and the entities named in the question.
// hot
// $tenant: str
// $user_id: str
// $vector: list of float, or null when there is no embedder: the vector channels then find nothing
// $scene_vector: the same, or null when no scenes are wanted
// $fact_vector: the same, or null when neither facts are wanted nor the messages that they tell of
// $message_query: str, Lucene, scoped to tenant and user and, for a time range, to days
// $stem_query: str, likewise
// $scene_query: str, likewise
// $fact_query: str, likewise
// $entity_keys: list of str
// $tie_query: str, Lucene, scoped to the user: relations with one of $tie_words
// $tie_words: list of str, lower case: by which the question calls those close to the user, as "my sister" does
// $kinds: list of str: message, scene, fact; what is not wanted is not searched for, but for facts by their vectors when messages
// are wanted: these bring no evidence
// $from_ms: int, inclusive
// $to_ms: int, exclusive
// $asked_from_ms: int, inclusive, of the time the question names; not before $asked_to_ms when it names none (a null would be
// another type, for which the statement is planned anew: seconds)
// $asked_to_ms: int, exclusive
// $valid_at: datetime; facts that held then
// $known_at: datetime; by what was known then, or null: by all that is known. memory/holding.py says the same
// $wide: int, rows of each channel
// $close: int, of each channel of messages the best so many for which also what was said around them is brought
// $ways: int, how many of the things that are tied to what is named to go on from
// $crowd: int, facts that each of those may have
// $links: int, edges of each entity that is named to look at; what is spoken of all the time has thousands
// $nearest: int, at least $wide: messages, or facts, to look for in the vector index, of which the nearest are kept
// $with_tokens: bool, whether to bring the vectors of the messages' pieces; the whole's are with them, so that what the index did
// not compare is compared by those: to read an embedding is what takes longest here
// $session: str, the node of the only session that is wanted, or null
// $agent: str, only conversations with this agent, or null
// $roles: list of str, only what these roles said, or null
// $about_keys: list of str, keys of entities; only what names one of them, or null
// $beside: bool, whether the layers of scenes and the marks of use are wanted
// $around: int, messages to bring from before and from after each of those
// $evidence_max: int, messages to bring with each fact and scene; 0 brings none
// $evidence_chars: int, of the text of each of them; most of what is found is in no answer
// -> messages, rows, beside, named
// One row. messages: [id, session, said_ms, position, speaker, text, uri, role, importance, unread, cosine, [[channel, score]], tokens] for each
// message found and those said around it; rows: [kind, id, [[channel, score]], cosine, shown, evidence, proofs] for each scene and
// fact. shown is
// [uri, text, title, role, speaker, said_ms, importance, unread, relation, invalid_ms, strength, confidence, predicate, subject,
// object], and of facts also kind, rationale, steps, and ends: ids of its subject and object, but not of the user and the agent; it is
// null for facts that are not wanted, which only tell of messages;
// evidence is [[id, uri, role, speaker, text, said_ms, length of a text that is cut, else null]]; proofs are ids.
// named: keys of the entities that the question names.
// beside: [id, scene, abstract, overview, last_accessed_ms] for each message and scene, how near its scene's layers are. Lists and
// milliseconds, because records and dates are what the driver spends its time on.
// Times and scope filter inside the indexes; the WHERE clauses behind full text are the second check. A range must not be
// widened and the tenant must not be dropped here: recall trusts these rows.
CALL () {
  MATCH (e:Entity {tenant: $tenant, user_id: $user_id}) WHERE e.key IN $entity_keys
  RETURN e
 UNION
  // By a name that was merged: what stands for it now.
  MATCH (held:HeldEntity {tenant: $tenant, user_id: $user_id}) WHERE held.key IN $entity_keys
  MATCH (held)-[:STANDS_FOR]->(e:Memory)
  RETURN e
 UNION
  // "My sister": whom facts that hold tie to the user by that word, whatever the name.
  CALL db.index.fulltext.queryRelationships('fact_words', $tie_query, {limit: $wide}) YIELD relationship AS r
  WHERE r.tenant = $tenant AND r.user_id = $user_id AND startNode(r):User AND endNode(r):Entity
    AND any(word IN split(toLower(r.relation), ' ') WHERE word IN $tie_words)
    AND r.valid_at <= $valid_at AND ($known_at IS NULL OR coalesce(r.known_at, r.recorded_at) <= $known_at)
    AND (r.invalid_at IS NULL OR r.invalid_at > $valid_at OR coalesce(r.closing_known_at, r.known_at, r.recorded_at) > $known_at)
  RETURN endNode(r) AS e
}
WITH collect(e) AS asked_for
CALL (asked_for) {
  UNWIND CASE WHEN 'message' IN $kinds OR 'fact' IN $kinds THEN asked_for ELSE [] END AS e
  CALL (e) {
    MATCH (e)-[r:PREFERS|DISLIKES|CARES_ABOUT|RELATES_TO|CAUSED_BY]-(x:Memory)
    WHERE r.tenant = $tenant AND r.user_id = $user_id
      AND r.valid_at <= $valid_at AND ($known_at IS NULL OR coalesce(r.known_at, r.recorded_at) <= $known_at)
      AND (r.invalid_at IS NULL OR r.invalid_at > $valid_at OR coalesce(r.closing_known_at, r.known_at, r.recorded_at) > $known_at)
    RETURN r, x LIMIT $links
  }
  RETURN collect({e: e, r: r, x: x}) AS touching
}
CALL (asked_for, touching) {
  // One hop further: facts of what the named ones are tied to. Never through the user or the agent, who are tied to all there is,
  // nor through what has more than $crowd facts: what they lead to has nothing to do with the question, and is most of the memory.
  UNWIND touching AS one
  WITH asked_for, one.e AS e, one.x AS x, one.r AS r
  WHERE e:Entity AND x:Entity AND NOT x IN asked_for
  WITH asked_for, x, count(DISTINCT e) AS named, max(r.strength) AS strength
  WHERE COUNT { (x)-[:PREFERS|DISLIKES|CARES_ABOUT|RELATES_TO|CAUSED_BY]-() } <= $crowd
  WITH asked_for, x, named ORDER BY named DESC, strength DESC, x.id LIMIT $ways
  MATCH (x)-[r:PREFERS|DISLIKES|CARES_ABOUT|RELATES_TO|CAUSED_BY]-(y:Memory)
  WHERE NOT y IN asked_for AND r.tenant = $tenant AND r.user_id = $user_id
    AND r.valid_at <= $valid_at AND ($known_at IS NULL OR coalesce(r.known_at, r.recorded_at) <= $known_at)
    AND (r.invalid_at IS NULL OR r.invalid_at > $valid_at OR coalesce(r.closing_known_at, r.known_at, r.recorded_at) > $known_at)
  WITH r, max(named) AS named ORDER BY named DESC, r.strength DESC, r.id LIMIT $wide
  RETURN collect({r: r, named: toFloat(named)}) AS beyond
}
CALL (asked_for, beyond) {
  CALL (asked_for, beyond) {
    WITH $vector AS v WHERE v IS NOT NULL AND 'message' IN $kinds
    MATCH (m:Message) SEARCH m IN (VECTOR INDEX message_vector FOR v
      WHERE m.tenant = $tenant AND m.user_id = $user_id AND m.said_ms >= $from_ms AND m.said_ms < $to_ms LIMIT $nearest) SCORE AS score
    WITH m, score ORDER BY score DESC LIMIT $wide
    RETURN m, 'vector' AS channel, score
   UNION ALL
    WITH $vector AS v WHERE v IS NOT NULL AND 'message' IN $kinds AND $asked_from_ms < $asked_to_ms
    MATCH (m:Message) SEARCH m IN (VECTOR INDEX message_vector FOR v
      WHERE m.tenant = $tenant AND m.user_id = $user_id AND m.said_ms >= $asked_from_ms AND m.said_ms < $asked_to_ms LIMIT $wide) SCORE AS score
    RETURN m, 'time' AS channel, score
   UNION ALL
    CALL db.index.fulltext.queryNodes('message_words', $message_query, {limit: $wide}) YIELD node AS m, score
    RETURN m, 'words' AS channel, score
   UNION ALL
    CALL db.index.fulltext.queryNodes('message_stems', $stem_query, {limit: $wide}) YIELD node AS m, score
    RETURN m, 'stems' AS channel, score
   UNION ALL
    UNWIND CASE WHEN 'message' IN $kinds THEN asked_for ELSE [] END AS e
    CALL (e) { MATCH (e)<-[r:MENTIONED]-(:Scene) WHERE r.tenant = $tenant RETURN r LIMIT $links }
    UNWIND r.evidence AS message_id
    WITH message_id, count(DISTINCT e) AS named ORDER BY named DESC LIMIT $wide
    MATCH (m:Message {tenant: $tenant, id: message_id})
    RETURN m, 'entity' AS channel, toFloat(named) AS score
   UNION ALL
    UNWIND CASE WHEN 'message' IN $kinds THEN beyond ELSE [] END AS one
    UNWIND one.r.evidence AS message_id
    WITH message_id, max(one.named) AS named ORDER BY named DESC LIMIT $wide
    MATCH (m:Message {tenant: $tenant, id: message_id})
    RETURN m, 'hop' AS channel, named AS score
   UNION ALL
    // A session is small: all of it is looked at, whatever the indexes find of the whole memory.
    UNWIND CASE WHEN $session IS NOT NULL AND 'message' IN $kinds THEN [$session] ELSE [] END AS session
    MATCH (m:Message {tenant: $tenant, session_id: session})
    WITH m ORDER BY m.said_ms DESC, m.position DESC LIMIT 1000
    RETURN m, 'session' AS channel, 1.0 AS score
  }
  WITH channel, m, score ORDER BY score DESC
  WITH channel, collect({m: m, score: score}) AS best
  UNWIND range(0, size(best) - 1) AS place
  WITH best[place].m AS m, channel, best[place].score AS score, place < $close AND channel IN ['vector', 'time', 'words', 'stems'] AS close
  WITH m, collect([channel, score]) AS found, true IN collect(close) AS close
  WHERE m.tenant = $tenant AND m.user_id = $user_id AND m.said_ms >= $from_ms AND m.said_ms < $to_ms
    AND ($known_at IS NULL OR m.received_at <= $known_at)
  WITH collect({m: m, found: found, close: close}) AS told
  // The hints let the index give neighbours in their order, so that a long session is not sorted for each of them; CASE, because
  // an OR is planned as two seeks whose rows are all read and sorted.
  CALL (told) {
    UNWIND told AS one
    RETURN one.m AS n, one.found AS how
   UNION ALL
    UNWIND [one IN told WHERE one.close] AS one
    WITH one.m AS m
    CALL (m) {
      MATCH (n:Message {tenant: $tenant, session_id: m.session_id})
      USING INDEX SEEK n:Message(tenant, session_id, said_ms, position)
      WHERE n.said_ms <= m.said_ms AND n.position IS NOT NULL
        AND CASE WHEN n.said_ms = m.said_ms THEN n.position < m.position ELSE true END
      RETURN n ORDER BY n.tenant DESC, n.session_id DESC, n.said_ms DESC, n.position DESC LIMIT $around
     UNION ALL
      MATCH (n:Message {tenant: $tenant, session_id: m.session_id})
      USING INDEX SEEK n:Message(tenant, session_id, said_ms, position)
      WHERE n.said_ms >= m.said_ms AND n.position IS NOT NULL
        AND CASE WHEN n.said_ms = m.said_ms THEN n.position > m.position ELSE true END
      RETURN n ORDER BY n.tenant, n.session_id, n.said_ms, n.position LIMIT $around
    }
    WITH DISTINCT n
    WHERE n.user_id = $user_id AND n.said_ms >= $from_ms AND n.said_ms < $to_ms AND ($known_at IS NULL OR n.received_at <= $known_at)
    RETURN n, [['near', 1.0]] AS how
  }
  WITH n, reduce(all = [], one IN collect(how) | all + one) AS found
  WHERE ($session IS NULL OR n.session_id = $session) AND ($agent IS NULL OR n.agent_id = $agent) AND ($roles IS NULL OR n.role IN $roles)
    AND ($about_keys IS NULL OR EXISTS {
      MATCH (n)-[:PART_OF]->(:Scene)-[about:MENTIONED]->(e:Memory) WHERE n.id IN about.evidence
        AND (e.key IN $about_keys OR EXISTS { MATCH (held:HeldEntity)-[:STANDS_FOR]->(e) WHERE held.key IN $about_keys }) })
  RETURN collect([n.id, n.session_id, n.said_ms, n.position, n.speaker, n.text, n.uri, n.role, n.importance, n.unread,
    coalesce(head([one IN found WHERE one[0] IN ['vector', 'time'] | one[1]]),
             CASE WHEN $with_tokens OR $vector IS NULL THEN null ELSE vector.similarity.cosine(n.embedding, $vector) END), found,
    CASE WHEN $with_tokens THEN n.token_vectors ELSE null END]) AS messages
}
CALL (asked_for) {
  CALL (asked_for) {
    WITH $scene_vector AS v WHERE v IS NOT NULL
    MATCH (s:Scene) SEARCH s IN (VECTOR INDEX scene_abstract_vector FOR v
      WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms LIMIT $wide) SCORE AS score
    RETURN s, 'abstract' AS channel, score, score AS cosine
   UNION ALL
    WITH $scene_vector AS v WHERE v IS NOT NULL
    MATCH (s:Scene) SEARCH s IN (VECTOR INDEX scene_overview_vector FOR v
      WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms LIMIT $wide) SCORE AS score
    RETURN s, 'overview' AS channel, score, score AS cosine
   UNION ALL
    CALL db.index.fulltext.queryNodes('scene_words', $scene_query, {limit: $wide}) YIELD node AS s, score
    WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms
    RETURN s, 'words' AS channel, score, null AS cosine
   UNION ALL
    UNWIND CASE WHEN 'scene' IN $kinds THEN asked_for ELSE [] END AS e
    CALL (e) {
      MATCH (e)<-[:MENTIONED]-(s:Scene) WHERE s.tenant = $tenant AND s.start_ms >= $from_ms AND s.start_ms < $to_ms
        AND ($known_at IS NULL OR NOT EXISTS { MATCH (later:Message)-[:PART_OF]->(s) WHERE later.received_at > $known_at })
      RETURN s LIMIT $links
    }
    WITH s, count(DISTINCT e) AS named ORDER BY named DESC, s.start_ms DESC LIMIT $wide
    RETURN s, 'entity' AS channel, toFloat(named) AS score, null AS cosine
  }
  WITH s, collect([channel, score]) AS found, max(cosine) AS cosine
  WHERE ($known_at IS NULL OR NOT EXISTS { MATCH (later:Message)-[:PART_OF]->(s) WHERE later.received_at > $known_at })
    // Narrowed by the messages of the scene.
    AND (coalesce($session, $agent, $roles, $about_keys) IS NULL OR EXISTS {
      MATCH (p:Message)-[:PART_OF]->(s)
      WHERE ($session IS NULL OR p.session_id = $session) AND ($agent IS NULL OR p.agent_id = $agent) AND ($roles IS NULL OR p.role IN $roles)
        AND ($about_keys IS NULL OR EXISTS {
          MATCH (p)-[:PART_OF]->(:Scene)-[about:MENTIONED]->(e:Memory) WHERE p.id IN about.evidence
            AND (e.key IN $about_keys OR EXISTS { MATCH (held:HeldEntity)-[:STANDS_FOR]->(e) WHERE held.key IN $about_keys }) }) })
  CALL (s) {
    UNWIND CASE WHEN $evidence_max > 0 THEN [s] ELSE [] END AS proven
    MATCH (p:Message)-[:PART_OF]->(proven) WHERE p.user_id = $user_id
    WITH p ORDER BY p.said_ms, p.position LIMIT $evidence_max
    RETURN collect([p.id, p.uri, p.role, p.speaker, left(p.text, $evidence_chars), p.said_ms,
      CASE WHEN size(p.text) > $evidence_chars THEN size(p.text) ELSE null END]) AS evidence
  }
  RETURN collect(['scene', s.id, found, cosine,
    [s.uri, s.abstract, s.name, null, null, s.start_ms, s.importance, null, null, null, null, null, null, null, null], evidence, []]) AS scenes
}
CALL (touching, beyond) {
  CALL (touching, beyond) {
    // What does not hold is left out of what the index finds.
    WITH $fact_vector AS v WHERE v IS NOT NULL
    MATCH ()-[r:PREFERS|DISLIKES|CARES_ABOUT|RELATES_TO|CAUSED_BY]->()
      SEARCH r IN (VECTOR INDEX fact_vector FOR v WHERE r.tenant = $tenant AND r.user_id = $user_id LIMIT $nearest) SCORE AS score
    WHERE r.valid_at <= $valid_at AND ($known_at IS NULL OR coalesce(r.known_at, r.recorded_at) <= $known_at)
      AND (r.invalid_at IS NULL OR r.invalid_at > $valid_at OR coalesce(r.closing_known_at, r.known_at, r.recorded_at) > $known_at)
    WITH r, score ORDER BY score DESC LIMIT $wide
    RETURN r, 'vector' AS channel, score
   UNION ALL
    CALL db.index.fulltext.queryRelationships('fact_words', $fact_query, {limit: $wide}) YIELD relationship AS r, score
    WHERE r.tenant = $tenant AND r.user_id = $user_id
      AND r.valid_at <= $valid_at AND ($known_at IS NULL OR coalesce(r.known_at, r.recorded_at) <= $known_at)
      AND (r.invalid_at IS NULL OR r.invalid_at > $valid_at OR coalesce(r.closing_known_at, r.known_at, r.recorded_at) > $known_at)
    RETURN r, 'words' AS channel, score
   UNION ALL
    UNWIND CASE WHEN 'fact' IN $kinds THEN touching ELSE [] END AS one
    WITH one.r AS r, count(DISTINCT one.e) AS named ORDER BY named DESC, r.strength DESC, r.id LIMIT $wide
    RETURN r, 'entity' AS channel, toFloat(named) AS score
   UNION ALL
    UNWIND CASE WHEN 'fact' IN $kinds THEN beyond ELSE [] END AS one
    RETURN one.r AS r, 'hop' AS channel, one.named AS score
  }
  WITH r, collect([channel, score]) AS found
  // Narrowed by the messages that prove the fact.
  WHERE coalesce($session, $agent, $roles, $about_keys) IS NULL OR EXISTS {
    UNWIND r.evidence AS behind
    MATCH (p:Message {tenant: $tenant, id: behind})
    WHERE ($session IS NULL OR p.session_id = $session) AND ($agent IS NULL OR p.agent_id = $agent) AND ($roles IS NULL OR p.role IN $roles)
      AND ($about_keys IS NULL OR EXISTS {
        MATCH (p)-[:PART_OF]->(:Scene)-[about:MENTIONED]->(e:Memory) WHERE p.id IN about.evidence
          AND (e.key IN $about_keys OR EXISTS { MATCH (held:HeldEntity)-[:STANDS_FOR]->(e) WHERE held.key IN $about_keys }) })
    RETURN p }
  CALL (r) {
    UNWIND CASE WHEN 'fact' IN $kinds THEN r.evidence[0..$evidence_max] ELSE [] END AS message_id
    MATCH (p:Message {tenant: $tenant, id: message_id}) WHERE p.user_id = $user_id AND ($known_at IS NULL OR p.received_at <= $known_at)
    RETURN collect([p.id, p.uri, p.role, p.speaker, left(p.text, $evidence_chars), p.said_ms,
      CASE WHEN size(p.text) > $evidence_chars THEN size(p.text) ELSE null END]) AS evidence
  }
  RETURN collect(['fact', r.id, found,
    coalesce(head([one IN found WHERE one[0] = 'vector' | one[1]]),
             CASE WHEN $fact_vector IS NULL THEN null ELSE vector.similarity.cosine(r.embedding, $fact_vector) END),
    CASE WHEN 'fact' IN $kinds THEN [r.uri, r.statement, null, null, null, r.valid_at.epochMillis, r.importance, null, r.relation,
     CASE WHEN $known_at IS NOT NULL AND coalesce(r.closing_known_at, r.known_at, r.recorded_at) > $known_at THEN null
          ELSE r.invalid_at.epochMillis END,
     r.strength, r.confidence, type(r), startNode(r).name, endNode(r).name, r.kind, r.rationale, r.steps,
     [end IN [startNode(r), endNode(r)] WHERE end:Entity | end.id]] ELSE null END, evidence, r.evidence]) AS facts
}
WITH messages, scenes + facts AS rows, [e IN asked_for | e.key] AS named
CALL (messages, rows) {
  CALL (messages, rows) {
    UNWIND CASE WHEN $beside THEN messages ELSE [] END AS one
    MATCH (n:Message {tenant: $tenant, id: one[0]})
    OPTIONAL MATCH (n)-[:PART_OF]->(s:Scene)
    RETURN n.id AS id, n.last_accessed.epochMillis AS used_ms, s
   UNION ALL
    UNWIND CASE WHEN $beside THEN [one IN rows WHERE one[0] = 'scene'] ELSE [] END AS one
    MATCH (s:Memory {tenant: $tenant, id: one[1]})
    RETURN s.id AS id, s.last_accessed.epochMillis AS used_ms, s
  }
  RETURN collect([id, s.id,
    CASE WHEN $vector IS NULL OR s.abstract_embedding IS NULL THEN null ELSE vector.similarity.cosine(s.abstract_embedding, $vector) END,
    CASE WHEN $vector IS NULL OR s.overview_embedding IS NULL THEN null ELSE vector.similarity.cosine(s.overview_embedding, $vector) END,
    used_ms]) AS beside
}
RETURN messages, rows, beside, named
