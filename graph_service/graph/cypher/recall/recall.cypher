// Retrieve candidates for one question from all channels in one round trip: messages by vector, full text, stems, time (when said, and what they are about) and entity,
// with their neighbours in the session; scenes and facts by vector, full text and entity.
// hot
// $tenant: str
// $user_id: str
// $vector: list of float, or null without an embedder; the vector channels then return nothing
// $cross_language: list of float, vector of the question for texts in the other language, or null
// $cross_language_k: int, elements that the vector indexes return for $cross_language
// $other_language: str, regular expression that matches the beginning of texts in the other language
// $language_chars: int, length of that beginning
// $message_query: str, Lucene query for words of messages, scoped to tenant and user and, with a time range, to days
// $stem_query: str, Lucene query for stems of messages, scoped in the same way
// $scene_query: str, Lucene query for scenes, scoped in the same way
// $fact_query: str, Lucene query for words of facts, scoped to tenant and user
// $fact_stem_query: str, Lucene query for stems of facts, scoped in the same way
// $entity_keys: list of str, name keys in the question
// $kinship_query: str, Lucene, scoped to the user: relations that contain one of $kinship_words
// $kinship_words: list of str, lower case: kinship terms of the question, as in "my sister"
// $kinds: list of str, requested kinds: message, scene, fact. Other kinds are not searched, except facts by vector when messages
// are requested; such facts return no evidence texts
// $from_ms: int, inclusive
// $to_ms: int, exclusive
// $asked_from_ms: int, inclusive, start of the time that the question names; equal to $asked_to_ms when it names none or one at which
// nothing was said
// $asked_to_ms: int, exclusive
// $by_time: bool, $from_ms and $to_ms are a filter on time: only messages said then, scenes said then or about it, and facts of it
// $happened_from: datetime, inclusive, start of the time that the question names or is filtered by, for elements that are about it; equal to $happened_to when the question names none or asks when something was said
// $happened_to: datetime, exclusive
// $happened_since: datetime, before $happened_from: earliest start of the times that may reach into it
// $happened_scan: int, elements about that time to compare by vector
// $valid_at: datetime; only facts valid at this time
// $with_closed: bool, also facts found by vector or words that ended before $valid_at
// $known_at: datetime, transaction time: only what was known then; the year 9999: all. memory/facts/bitemporal.py has the same rule
// $as_of: bool, $known_at is before now, so that elements received later are left out
// $per_channel: int, messages per channel
// $summaries_per_channel: int, scenes and facts per channel; as many facts that ended, if $with_closed
// $expand_top: int, top hits of each message channel, except that of the other language, for which neighbouring messages are
// returned too
// $max_bridges: int, neighbours of named entities to expand to the second hop
// $max_degree: int, maximum number of facts of such a neighbour
// $edges_per_entity: int, maximum edges read per named entity; frequent entities have thousands
// $vector_k: int, at least $per_channel: hits requested from a vector index, or facts from a full-text index, of which the best are kept
// $with_tokens: bool, return token vectors of messages. They include the vector of the whole text, so the cosine of messages that
// the index did not compare is left to the caller: reading embeddings is the most expensive part of this statement
// $filtered: bool, one of the next filters is given
// $session: str, node id of the only session to search, or ''
// $agent: str, only conversations with this agent, or ''
// $roles: list of str, only messages with these roles
// $by_entity: bool, $entity_filter is given
// $entity_filter: list of str, entity keys; only what mentions one of them; used if $by_entity
// $by_tag: bool, $tags is given
// $tags: list of str, only messages with one of these tags, and what they prove; used if $by_tag
// $tag_query: str, Lucene query for the messages with these tags; without hits when messages are not requested
// $by_metadata: bool, $metadata_ids is given
// $metadata_ids: list of str, only these messages, and what they prove; used if $by_metadata
// $metadata_excluded: bool, $metadata_ids are the messages to leave out instead
// $with_layer_scores: bool, return the similarity of scene summaries
// $neighbour_radius: int, neighbouring messages to return before and after each top hit
// $evidence_max: int, messages to return with each fact and scene; 0 returns none
// $evidence_chars: int, maximum length of their texts
// -> messages, rows, layer_scores, named
// One row, with lists and milliseconds because the driver is slow with maps and dates.
// messages: [id, session, said_ms, position, speaker, text, uri, role, importance, unread, tags, zone, emotion, mentioned_start_ms, mentioned_end_ms, scene, cosine,
// [[channel, score]], tokens] for each hit and neighbour; scene is the id of its scene.
// rows: [kind, id, [[channel, score]], cosine, display, evidence, evidence ids, closed, closed by, rejected] for each scene and
// fact; a fact is closed if it ended before $valid_at, rejected if a person said that it was never true, and only facts have evidence ids.
// display: [uri, text, title, role, speaker, said_ms, importance, unread, relation, invalid_ms, strength, confidence, predicate,
// subject, object, kind, rationale, steps, emotion, mentioned_start_ms, mentioned_end_ms, the ids of subject and object that are entities,
// and whether only its end was told]; null for facts that
// were not requested and only lead to messages.
// evidence: [[id, uri, role, speaker, text, said_ms, full length if the text is cut, else null, zone]].
// layer_scores: [id, scene, abstract, overview] for each message and scene: similarity of its scene's summaries.
// named: keys of the entities that the question names.
// The vector indexes filter by scope and time, the full-text queries by scope and day; the WHERE clauses after them check both. The
// caller checks only the scope again, so no channel may return elements of other times.
CALL () {
  MATCH (e:Entity {tenant: $tenant, user_id: $user_id}) WHERE e.key IN $entity_keys
  RETURN e
 UNION
  // Names of merged entities lead to the entity that represents them.
  MATCH (member:MemberEntity {tenant: $tenant, user_id: $user_id}) WHERE member.key IN $entity_keys
  MATCH (member)-[:MEMBER_OF]->(e:Memory)
  RETURN e
 UNION
  // "My sister": entities tied to the user by a currently valid fact with that relation.
  CALL db.index.fulltext.queryRelationships('fact_words', $kinship_query, {limit: $per_channel}) YIELD relationship AS r
  WHERE r.tenant = $tenant AND r.user_id = $user_id AND startNode(r):User AND endNode(r):Entity
    AND any(word IN split(toLower(r.relation), ' ') WHERE word IN $kinship_words)
    AND {{holds r}}
  RETURN endNode(r) AS e
}
WITH collect(e) AS named_entities
CALL (named_entities) {
  UNWIND CASE WHEN 'message' IN $kinds OR 'fact' IN $kinds THEN named_entities ELSE [] END AS e
  CALL (e) {
    MATCH (e)-[r:{{predicates}}]-(x:Memory)
    WHERE r.tenant = $tenant AND r.user_id = $user_id
      AND {{holds r}}
    RETURN r, x LIMIT $edges_per_entity
  }
  RETURN collect({e: e, r: r, x: x}) AS entity_edges
}
CALL (named_entities, entity_edges) {
  // Second hop: facts of the neighbours of named entities. Never through the user, the agent or a node with more than $max_degree
  // facts: hubs lead to most of the memory, which has nothing to do with the question.
  UNWIND entity_edges AS one
  WITH named_entities, one.e AS e, one.x AS x, one.r AS r
  WHERE e:Entity AND x:Entity AND NOT x IN named_entities
  WITH named_entities, x, count(DISTINCT e) AS named, max(r.strength) AS strength
  WHERE COUNT { (x)-[:{{predicates}}]-() } <= $max_degree
  WITH named_entities, x, named ORDER BY named DESC, strength DESC, x.id LIMIT $max_bridges
  MATCH (x)-[r:{{predicates}}]-(y:Memory)
  WHERE NOT y IN named_entities AND r.tenant = $tenant AND r.user_id = $user_id
    AND {{holds r}}
  WITH r, max(named) AS named ORDER BY named DESC, r.strength DESC, r.id LIMIT $per_channel
  RETURN collect({r: r, named: toFloat(named)}) AS second_hop
}
CALL (named_entities, second_hop) {
  CALL (named_entities, second_hop) {
    WITH $vector AS v WHERE v IS NOT NULL AND 'message' IN $kinds
    MATCH (m:Message) SEARCH m IN (VECTOR INDEX message_vector FOR v
      WHERE m.tenant = $tenant AND m.user_id = $user_id AND m.said_ms >= $from_ms AND m.said_ms < $to_ms LIMIT $vector_k) SCORE AS score
    WITH m, score ORDER BY score DESC LIMIT $per_channel
    RETURN m, 'vector' AS channel, score
   UNION ALL
    WITH $vector AS v WHERE v IS NOT NULL AND 'message' IN $kinds AND $asked_from_ms < $asked_to_ms
    MATCH (m:Message) SEARCH m IN (VECTOR INDEX message_vector FOR v
      WHERE m.tenant = $tenant AND m.user_id = $user_id AND m.said_ms >= $asked_from_ms AND m.said_ms < $asked_to_ms LIMIT $per_channel) SCORE AS score
    RETURN m, 'time' AS channel, score
   UNION ALL
    WITH $vector AS v WHERE 'message' IN $kinds AND $happened_from < $happened_to
    CALL () {
      MATCH (m:Message {tenant: $tenant, user_id: $user_id})
      USING INDEX SEEK m:Message(tenant, user_id, mentioned_start, mentioned_end)
      WHERE m.mentioned_start >= $happened_since AND m.mentioned_start < $happened_to AND m.mentioned_end > $happened_from
      RETURN m ORDER BY m.tenant DESC, m.user_id DESC, m.mentioned_start DESC LIMIT $happened_scan
    }
    WITH m, CASE WHEN v IS NULL OR m.embedding IS NULL THEN 0.5 ELSE vector.similarity.cosine(m.embedding, v) END AS score
    ORDER BY score DESC LIMIT $per_channel
    RETURN m, 'happened' AS channel, score
   UNION ALL
    WITH $cross_language AS v WHERE v IS NOT NULL AND 'message' IN $kinds
    MATCH (m:Message) SEARCH m IN (VECTOR INDEX message_vector FOR v
      WHERE m.tenant = $tenant AND m.user_id = $user_id AND m.said_ms >= $from_ms AND m.said_ms < $to_ms LIMIT $cross_language_k) SCORE AS score
    WHERE left(m.text, $language_chars) =~ $other_language
    WITH m, score ORDER BY score DESC LIMIT $per_channel
    RETURN m, 'other_language' AS channel, score
   UNION ALL
    CALL db.index.fulltext.queryNodes('message_words', $message_query, {limit: $per_channel}) YIELD node AS m, score
    RETURN m, 'words' AS channel, score
   UNION ALL
    CALL db.index.fulltext.queryNodes('message_stems', $stem_query, {limit: $per_channel}) YIELD node AS m, score
    RETURN m, 'stems' AS channel, score
   UNION ALL
    UNWIND CASE WHEN 'message' IN $kinds THEN named_entities ELSE [] END AS e
    CALL (e) { MATCH (e)<-[r:MENTIONED]-(:Scene) WHERE r.tenant = $tenant RETURN r LIMIT $edges_per_entity }
    UNWIND r.evidence AS message_id
    WITH message_id, count(DISTINCT e) AS named ORDER BY named DESC LIMIT $per_channel
    MATCH (m:Message {tenant: $tenant, id: message_id})
    RETURN m, 'entity' AS channel, toFloat(named) AS score
   UNION ALL
    UNWIND CASE WHEN 'message' IN $kinds THEN second_hop ELSE [] END AS one
    UNWIND one.r.evidence AS message_id
    WITH message_id, max(one.named) AS named ORDER BY named DESC LIMIT $per_channel
    MATCH (m:Message {tenant: $tenant, id: message_id})
    RETURN m, 'hop' AS channel, named AS score
   UNION ALL
    // A session is small: take all of it, because the indexes may spend their limit on other sessions.
    UNWIND CASE WHEN $session <> '' AND 'message' IN $kinds THEN [$session] ELSE [] END AS session
    MATCH (m:Message {tenant: $tenant, session_id: session})
    WITH m ORDER BY m.said_ms DESC, m.position DESC LIMIT 1000
    RETURN m, 'session' AS channel, 1.0 AS score
   UNION ALL
    // Likewise, the messages with a tag are few in a large memory.
    CALL db.index.fulltext.queryNodes('message_tags', $tag_query, {limit: 1000}) YIELD node AS m
    RETURN m, 'tag' AS channel, 1.0 AS score
   UNION ALL
    UNWIND CASE WHEN $by_metadata AND NOT $metadata_excluded AND 'message' IN $kinds THEN $metadata_ids[0..1000] ELSE [] END AS id
    MATCH (m:Message {tenant: $tenant, id: id})
    RETURN m, 'tag' AS channel, 1.0 AS score
  }
  WITH channel, m, score ORDER BY score DESC
  WITH channel, collect({m: m, score: score}) AS best
  UNWIND range(0, size(best) - 1) AS i
  WITH best[i].m AS m, channel, best[i].score AS score, i < $expand_top AND channel IN ['vector', 'time', 'words', 'stems'] AS expand
  WITH m, collect([channel, score]) AS found, true IN collect(expand) AS expand
  WHERE m.tenant = $tenant AND m.user_id = $user_id AND m.said_ms >= $from_ms AND m.said_ms < $to_ms AND m.text <> ''
    AND (NOT $as_of OR m.received_at <= $known_at)
  WITH collect({m: m, found: found, expand: expand}) AS found_messages
  // The index hints return neighbours in index order; without them a long session is sorted once per hit. CASE instead of OR,
  // because OR is planned as two seeks that read and sort all rows.
  CALL (found_messages) {
    UNWIND found_messages AS one
    RETURN one.m AS n, one.found AS hits
   UNION ALL
    UNWIND [one IN found_messages WHERE one.expand] AS one
    WITH one.m AS m
    CALL (m) {
      MATCH (n:Message {tenant: $tenant, session_id: m.session_id})
      USING INDEX SEEK n:Message(tenant, session_id, said_ms, position)
      WHERE n.said_ms <= m.said_ms AND n.position IS NOT NULL AND n.text <> ''
        AND CASE WHEN n.said_ms = m.said_ms THEN n.position < m.position ELSE true END
      RETURN n ORDER BY n.tenant DESC, n.session_id DESC, n.said_ms DESC, n.position DESC LIMIT $neighbour_radius
     UNION ALL
      MATCH (n:Message {tenant: $tenant, session_id: m.session_id})
      USING INDEX SEEK n:Message(tenant, session_id, said_ms, position)
      WHERE n.said_ms >= m.said_ms AND n.position IS NOT NULL AND n.text <> ''
        AND CASE WHEN n.said_ms = m.said_ms THEN n.position > m.position ELSE true END
      RETURN n ORDER BY n.tenant, n.session_id, n.said_ms, n.position LIMIT $neighbour_radius
    }
    WITH DISTINCT n
    WHERE n.user_id = $user_id AND n.said_ms >= $from_ms AND n.said_ms < $to_ms AND (NOT $as_of OR n.received_at <= $known_at)
    RETURN n, [['near', 1.0]] AS hits
  }
  WITH n, reduce(all = [], one IN collect(hits) | all + one) AS found
  WHERE {{unexpired n}} AND (NOT $filtered OR ({{passes_filters n}}))
  RETURN collect([n.id, n.session_id, n.said_ms, n.position, n.speaker, n.text, n.uri, n.role, n.importance, n.unread, n.tags, n.zone, n.emotion,
    n.mentioned_start.epochMillis, n.mentioned_end.epochMillis,
    head([(n)-[:PART_OF]->(s:Scene) | s.id]),
    coalesce(head([one IN found WHERE one[0] IN ['vector', 'time'] | one[1]]),
             CASE WHEN $with_tokens OR $vector IS NULL THEN null ELSE vector.similarity.cosine(n.embedding, $vector) END), found,
    CASE WHEN $with_tokens THEN n.token_vectors ELSE null END]) AS messages
}
CALL (named_entities) {
  CALL (named_entities) {
    WITH $vector AS v WHERE v IS NOT NULL AND 'scene' IN $kinds
    MATCH (s:Scene) SEARCH s IN (VECTOR INDEX scene_abstract_vector FOR v
      WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms LIMIT $summaries_per_channel) SCORE AS score
    RETURN s, 'abstract' AS channel, score, score AS cosine
   UNION ALL
    WITH $vector AS v WHERE v IS NOT NULL AND 'scene' IN $kinds
    MATCH (s:Scene) SEARCH s IN (VECTOR INDEX scene_overview_vector FOR v
      WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms LIMIT $summaries_per_channel) SCORE AS score
    RETURN s, 'overview' AS channel, score, score AS cosine
   UNION ALL
    WITH $vector AS v WHERE 'scene' IN $kinds AND $happened_from < $happened_to
    CALL () {
      MATCH (s:Scene {tenant: $tenant, user_id: $user_id})
      USING INDEX SEEK s:Scene(tenant, user_id, scene_start, scene_end)
      WHERE s.scene_start >= $happened_since AND s.scene_start < $happened_to AND s.scene_end > $happened_from
      RETURN s ORDER BY s.tenant DESC, s.user_id DESC, s.scene_start DESC LIMIT $happened_scan
    }
    WITH s, CASE WHEN v IS NULL OR s.abstract_embedding IS NULL THEN null ELSE vector.similarity.cosine(s.abstract_embedding, v) END AS score
    // When the scene was spoken of does not matter: a filter on time limits $happened_from and $happened_to, too.
    WITH s, score ORDER BY coalesce(score, 0.0) DESC LIMIT $summaries_per_channel
    RETURN s, 'happened' AS channel, coalesce(score, 0.5) AS score, score AS cosine
   UNION ALL
    // Scenes that name no time happened when they were spoken of.
    WITH $vector AS v WHERE v IS NOT NULL AND 'scene' IN $kinds AND $asked_from_ms < $asked_to_ms
    MATCH (s:Scene) SEARCH s IN (VECTOR INDEX scene_abstract_vector FOR v
      WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $asked_from_ms AND s.start_ms < $asked_to_ms LIMIT $summaries_per_channel) SCORE AS score
    WHERE s.scene_start IS NULL
    RETURN s, 'time' AS channel, score, score AS cosine
   UNION ALL
    WITH $cross_language AS v WHERE v IS NOT NULL AND 'scene' IN $kinds
    MATCH (s:Scene) SEARCH s IN (VECTOR INDEX scene_abstract_vector FOR v
      WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms LIMIT $summaries_per_channel) SCORE AS score
    WHERE left(s.abstract, $language_chars) =~ $other_language
    RETURN s, 'other_language' AS channel, score, null AS cosine
   UNION ALL
    WITH $cross_language AS v WHERE v IS NOT NULL AND 'scene' IN $kinds
    MATCH (s:Scene) SEARCH s IN (VECTOR INDEX scene_overview_vector FOR v
      WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms LIMIT $summaries_per_channel) SCORE AS score
    WHERE left(s.abstract, $language_chars) =~ $other_language
    RETURN s, 'other_language' AS channel, score, null AS cosine
   UNION ALL
    CALL db.index.fulltext.queryNodes('scene_words', $scene_query, {limit: $summaries_per_channel}) YIELD node AS s, score
    WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms
    RETURN s, 'words' AS channel, score, null AS cosine
   UNION ALL
    UNWIND CASE WHEN 'scene' IN $kinds THEN named_entities ELSE [] END AS e
    CALL (e) {
      MATCH (e)<-[:MENTIONED]-(s:Scene) WHERE s.tenant = $tenant AND s.start_ms >= $from_ms AND s.start_ms < $to_ms
        AND (NOT $as_of OR NOT EXISTS { MATCH (later:Message)-[:PART_OF]->(s) WHERE later.received_at > $known_at })
      RETURN s LIMIT $edges_per_entity
    }
    WITH s, count(DISTINCT e) AS named ORDER BY named DESC, s.start_ms DESC LIMIT $summaries_per_channel
    RETURN s, 'entity' AS channel, toFloat(named) AS score, null AS cosine
  }
  WITH s, collect([channel, score]) AS found, max(cosine) AS cosine
  WHERE (NOT $as_of OR NOT EXISTS { MATCH (later:Message)-[:PART_OF]->(s) WHERE later.received_at > $known_at })
    // A scene passes the filters if one of its messages does.
    AND (NOT $filtered OR EXISTS {
      MATCH (p:Message)-[:PART_OF]->(s)
      WHERE {{passes_filters p}} })
  CALL (s) {
    UNWIND CASE WHEN $evidence_max > 0 THEN [s] ELSE [] END AS scene
    MATCH (p:Message)-[:PART_OF]->(scene) WHERE p.user_id = $user_id AND {{unexpired p}}
    WITH p ORDER BY p.said_ms, p.position LIMIT $evidence_max
    RETURN collect([p.id, p.uri, p.role, p.speaker, left(p.text, $evidence_chars), p.said_ms,
      CASE WHEN size(p.text) > $evidence_chars THEN size(p.text) ELSE null END, p.zone]) AS evidence
  }
  RETURN collect(['scene', s.id, found, cosine,
    [s.uri, s.abstract, s.name, null, null, s.start_ms, s.importance, null, null, null, null, null, null, null, null,
     null, null, null, null, s.scene_start.epochMillis, s.scene_end.epochMillis, [], false], evidence, [],
    false, null, false]) AS scenes
}
CALL (entity_edges, second_hop) {
  CALL (entity_edges, second_hop) {
    // The vector index cannot filter by validity, so that is done after it. Facts lead to the messages that prove them.
    WITH $vector AS v WHERE v IS NOT NULL AND ('fact' IN $kinds OR 'message' IN $kinds)
    MATCH ()-[r:{{predicates}}]->()
      SEARCH r IN (VECTOR INDEX fact_vector FOR v WHERE r.tenant = $tenant AND r.user_id = $user_id LIMIT $vector_k) SCORE AS score
    WHERE {{started r}} AND ($with_closed OR {{holds r}})
    {{best_valid_and_ended r}}
    RETURN r, 'vector' AS channel, score
   UNION ALL
    WITH $cross_language AS v WHERE v IS NOT NULL AND ('fact' IN $kinds OR 'message' IN $kinds)
    MATCH ()-[r:{{predicates}}]->()
      SEARCH r IN (VECTOR INDEX fact_vector FOR v WHERE r.tenant = $tenant AND r.user_id = $user_id LIMIT $cross_language_k) SCORE AS score
    WHERE {{holds r}} AND left(r.statement, $language_chars) =~ $other_language
    WITH r, score ORDER BY score DESC LIMIT $summaries_per_channel
    RETURN r, 'other_language' AS channel, score
   UNION ALL
    CALL db.index.fulltext.queryRelationships('fact_words', $fact_query, {limit: $vector_k}) YIELD relationship AS r, score
    WHERE r.tenant = $tenant AND r.user_id = $user_id
      AND {{started r}} AND ($with_closed OR {{holds r}})
    {{best_valid_and_ended r}}
    RETURN r, 'words' AS channel, score
   UNION ALL
    CALL db.index.fulltext.queryRelationships('fact_stems', $fact_stem_query, {limit: $vector_k}) YIELD relationship AS r, score
    WHERE r.tenant = $tenant AND r.user_id = $user_id
      AND {{started r}} AND ($with_closed OR {{holds r}})
    {{best_valid_and_ended r}}
    RETURN r, 'stems' AS channel, score
   UNION ALL
    UNWIND CASE WHEN 'fact' IN $kinds THEN entity_edges ELSE [] END AS one
    WITH one.r AS r, count(DISTINCT one.e) AS named ORDER BY named DESC, r.strength DESC, r.id LIMIT $summaries_per_channel
    RETURN r, 'entity' AS channel, toFloat(named) AS score
   UNION ALL
    UNWIND CASE WHEN 'fact' IN $kinds THEN second_hop ELSE [] END AS one
    RETURN one.r AS r, 'hop' AS channel, one.named AS score
  }
  WITH r, collect([channel, score]) AS found
  // A fact passes the filters if one message of its evidence does.
  // What another fact says, too, has not ended with it.
  WHERE {{of_time r}} AND (coalesce(r.closing_reason, '') <> 'merged' OR coalesce({{open r}}, false)) AND (NOT $filtered OR EXISTS {
    UNWIND r.evidence AS message_id
    MATCH (p:Message {tenant: $tenant, id: message_id})
    WHERE {{passes_filters p}}
    RETURN p })
  CALL (r) {
    UNWIND CASE WHEN 'fact' IN $kinds THEN r.evidence[0..$evidence_max] ELSE [] END AS message_id
    MATCH (p:Message {tenant: $tenant, id: message_id}) WHERE p.user_id = $user_id AND (NOT $as_of OR p.received_at <= $known_at) AND {{unexpired p}}
    RETURN collect([p.id, p.uri, p.role, p.speaker, left(p.text, $evidence_chars), p.said_ms,
      CASE WHEN size(p.text) > $evidence_chars THEN size(p.text) ELSE null END, p.zone]) AS evidence
  }
  WITH r, found, evidence, any(one IN found WHERE one[0] = 'other_language') AS compared
  RETURN collect(['fact', r.id,
    // Compare facts in the other language that another channel found too. Reading an embedding is expensive.
    found + CASE WHEN $cross_language IS NOT NULL AND NOT compared AND r.embedding IS NOT NULL AND left(r.statement, $language_chars) =~ $other_language
      THEN [['other_language', vector.similarity.cosine(r.embedding, $cross_language)]] ELSE [] END,
    coalesce(head([one IN found WHERE one[0] = 'vector' | one[1]]),
             CASE WHEN $vector IS NULL OR compared THEN null ELSE vector.similarity.cosine(r.embedding, $vector) END),
    CASE WHEN 'fact' IN $kinds THEN [r.uri, r.statement, null, null, null, r.valid_at.epochMillis, r.importance, null, r.relation,
     CASE WHEN {{end_known r}} THEN r.invalid_at.epochMillis END,
     r.strength, r.confidence, type(r), startNode(r).name, endNode(r).name, r.kind, r.rationale, r.steps, r.trigger_emotion,
     r.mentioned_start.epochMillis, r.mentioned_end.epochMillis, [end IN [startNode(r), endNode(r)] WHERE end:Entity | end.id],
     {{told_as_ended r}}] ELSE null END, evidence, r.evidence,
    NOT coalesce({{open r}}, false), r.closed_by, coalesce(r.closing_reason = 'rejected', false)]) AS facts
}
WITH messages, scenes + facts AS rows, [e IN named_entities | e.key] AS named
CALL (messages, rows) {
  CALL (messages, rows) {
    UNWIND CASE WHEN $with_layer_scores THEN messages ELSE [] END AS one
    MATCH (n:Message {tenant: $tenant, id: one[0]})
    OPTIONAL MATCH (n)-[:PART_OF]->(s:Scene)
    RETURN n.id AS id, s
   UNION ALL
    UNWIND CASE WHEN $with_layer_scores THEN [one IN rows WHERE one[0] = 'scene'] ELSE [] END AS one
    MATCH (s:Memory {tenant: $tenant, id: one[1]})
    RETURN s.id AS id, s
  }
  RETURN collect([id, s.id,
    CASE WHEN $vector IS NULL OR s.abstract_embedding IS NULL THEN null ELSE vector.similarity.cosine(s.abstract_embedding, $vector) END,
    CASE WHEN $vector IS NULL OR s.overview_embedding IS NULL THEN null ELSE vector.similarity.cosine(s.overview_embedding, $vector) END
    ]) AS layer_scores
}
RETURN messages, rows, layer_scores, named
