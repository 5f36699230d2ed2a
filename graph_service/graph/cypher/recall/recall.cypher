// Retrieve candidates for one question from all channels in one round trip: messages by vector, full text, stems, time (when said, and what they are about) and entity,
// with their neighbours in the session; scenes and facts by vector, full text and entity.
// hot
// $tenant: str
// $user_id: str
// $with_messages: bool, messages are requested; kinds that are not requested are not searched, except facts by vector when messages are
// $with_scenes: bool, scenes are requested
// $with_facts: bool, facts are requested; else they return no evidence texts and only lead to messages
// $vector: list of float, or null without an embedder; the vector channels then return nothing
// $cross_language: list of float, vector of the question for texts in the other language, or null
// $cross_language_k: int, at least $per_channel: elements that the vector indexes return for $message_searches, and facts for $cross_language
// $other_language: str, regular expression that matches the beginning of texts in the other language, or '' without $cross_language
// $language_chars: int, length of that beginning
// $message_searches: list of [channel, from_ms, to_ms], more searches of messages by vector: 'time', by $vector among those said in the
// time that the question names, and 'other_language'
// $abstract_searches: list of [channel, from_ms, to_ms], searches of scenes by the vectors of abstracts: as $message_searches, and 'abstract'
// $overview_searches: list of channels, the same by the vectors of overviews, in the filter on time: 'overview', 'other_language'
// $message_queries: list of [channel, index, query, limit], Lucene queries for messages, scoped to tenant and user and, with a time range,
// to days: 'words', 'stems', 'tag'
// $scene_query: str, Lucene query for scenes, scoped in the same way
// $fact_queries: list of [channel, index, query], Lucene queries for facts, scoped to tenant and user: 'words', 'stems'
// $searched_session: str, node id of the session that is searched as a whole, or ''
// $searched_ids: list of str, ids of messages that are candidates because of their metadata
// $entity_keys: list of str, name keys in the question
// $kinship_query: str, Lucene, scoped to the user: relations that contain one of $kinship_words
// $kinship_words: list of str, lower case: kinship terms of the question, as in "my sister"
// $from_ms: int, inclusive
// $to_ms: int, exclusive
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
// $entity_filter: list of str, entity keys; only what mentions one of them; empty: all
// $tags: list of str, only messages with one of these tags, and what they prove; empty: all
// $metadata_ids: list of str, only these messages, and what they prove
// $metadata_excluded: bool, $metadata_ids are the messages to leave out instead; so without a filter
// $neighbour_radius: int, neighbouring messages to return before and after each top hit
// $evidence_max: int, messages to return with each fact and scene; 0 returns none
// $evidence_chars: int, maximum length of their texts
// -> messages, rows, named
// One row, with lists and milliseconds because the driver is slow with maps and dates.
// messages: [[properties], [milliseconds of properties], id of its scene, cosine, [[channel, score]], tokens] for each hit and neighbour.
// rows: for each scene ['scene', [[channel, score]], [properties], [milliseconds of properties], evidence], and for each fact ['fact',
// [[channel, score]], [properties], [milliseconds], milliseconds of its end, closed, whether only its end was told, predicate, [[name,
// id, whether it is an entity] of subject and object], cosine, similarity to $cross_language, evidence]; a fact is closed if it ended
// before $valid_at. The score of an element without a vector in the channel 'happened' is null. Similarities are null if a score is one.
// evidence: [[id, uri, role, speaker, said_ms, zone, text, full length if the text is cut, else null]].
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
  UNWIND CASE WHEN $with_messages OR $with_facts THEN named_entities END AS e
  CALL (e) {
    MATCH (e)-[r:{{predicates}}]-(x:Memory)
    WHERE r.tenant = $tenant AND r.user_id = $user_id
      AND {{holds r}}
    RETURN r, x LIMIT $edges_per_entity
  }
  RETURN collect([e, r, x]) AS entity_edges
}
CALL (named_entities, entity_edges) {
  // Second hop: facts of the neighbours of named entities. Never through the user, the agent or a node with more than $max_degree
  // facts: hubs lead to most of the memory, which has nothing to do with the question.
  UNWIND entity_edges AS edge
  WITH named_entities, edge[0] AS e, edge[2] AS x, edge[1] AS r
  WHERE e:Entity AND x:Entity AND NOT x IN named_entities
  WITH named_entities, x, count(DISTINCT e) AS named, max(r.strength) AS strength
  WHERE COUNT { (x)-[:{{predicates}}]-() } <= $max_degree
  WITH named_entities, x, named ORDER BY named DESC, strength DESC, x.id LIMIT $max_bridges
  MATCH (x)-[r:{{predicates}}]-(y:Memory)
  WHERE NOT y IN named_entities AND r.tenant = $tenant AND r.user_id = $user_id
    AND {{holds r}}
  WITH r, max(named) AS named ORDER BY named DESC, r.strength DESC, r.id LIMIT $per_channel
  RETURN collect([r, toFloat(named)]) AS second_hop
}
CALL (named_entities, second_hop) {
  CALL (named_entities, second_hop) {
    WITH $vector AS v WHERE v IS NOT NULL AND $with_messages
    MATCH (m:Message) SEARCH m IN (VECTOR INDEX message_vector FOR v
      WHERE m.tenant = $tenant AND m.user_id = $user_id AND m.said_ms >= $from_ms AND m.said_ms < $to_ms LIMIT $vector_k) SCORE AS score
    RETURN m, 'vector' AS channel, score
   UNION ALL
    UNWIND $message_searches AS search
    WITH search[0] AS channel, search[1] AS from_ms, search[2] AS to_ms,
      CASE search[0] WHEN 'time' THEN $vector ELSE $cross_language END AS v
    MATCH (m:Message) SEARCH m IN (VECTOR INDEX message_vector FOR v
      WHERE m.tenant = $tenant AND m.user_id = $user_id AND m.said_ms >= from_ms AND m.said_ms < to_ms LIMIT $cross_language_k) SCORE AS score
    WHERE channel = 'time' OR left(m.text, $language_chars) =~ $other_language
    RETURN m, channel, score
   UNION ALL
    MATCH (m:Message {tenant: $tenant, user_id: $user_id})
    USING INDEX SEEK m:Message(tenant, user_id, mentioned_start, mentioned_end)
    WHERE $with_messages AND m.mentioned_start >= $happened_since AND m.mentioned_start < $happened_to AND m.mentioned_end > $happened_from
    WITH m ORDER BY m.tenant DESC, m.user_id DESC, m.mentioned_start DESC LIMIT $happened_scan
    RETURN m, 'happened' AS channel, coalesce(vector.similarity.cosine(m.embedding, $vector), 0.5) AS score
   UNION ALL
    UNWIND $message_queries AS search
    CALL db.index.fulltext.queryNodes(search[1], search[2], {limit: search[3]}) YIELD node AS m, score
    RETURN m, search[0] AS channel, CASE search[0] WHEN 'tag' THEN 1.0 ELSE score END AS score
   UNION ALL
    UNWIND CASE WHEN $with_messages THEN named_entities END AS e
    CALL (e) { MATCH (e)<-[r:MENTIONED]-(:Scene) WHERE r.tenant = $tenant RETURN r LIMIT $edges_per_entity }
    UNWIND r.evidence AS message_id
    WITH message_id, count(DISTINCT e) AS named ORDER BY named DESC LIMIT $per_channel
    MATCH (m:Message {tenant: $tenant, id: message_id})
    RETURN m, 'entity' AS channel, toFloat(named) AS score
   UNION ALL
    UNWIND CASE WHEN $with_messages THEN second_hop END AS hop
    UNWIND hop[0].evidence AS message_id
    WITH message_id, max(hop[1]) AS named ORDER BY named DESC LIMIT $per_channel
    MATCH (m:Message {tenant: $tenant, id: message_id})
    RETURN m, 'hop' AS channel, named AS score
   UNION ALL
    // A session is small: take all of it, because the indexes may spend their limit on other sessions.
    MATCH (m:Message {tenant: $tenant, session_id: $searched_session})
    WITH m ORDER BY m.said_ms DESC, m.position DESC LIMIT 1000
    RETURN m, 'session' AS channel, 1.0 AS score
   UNION ALL
    UNWIND $searched_ids AS message_id
    MATCH (m:Message {tenant: $tenant, id: message_id})
    RETURN m, 'tag' AS channel, 1.0 AS score
  }
  WITH channel, m, score ORDER BY score DESC
  WITH channel, collect([m, score])[0..CASE WHEN channel IN ['session', 'tag'] THEN 2000 ELSE $per_channel END] AS best
  UNWIND range(0, size(best) - 1) AS i
  WITH best[i][0] AS m, channel, best[i][1] AS score, i < $expand_top AND channel IN ['vector', 'time', 'words', 'stems'] AS expand
  WITH m, collect([channel, score]) AS found, true IN collect(expand) AS expand
  WHERE m.tenant = $tenant AND m.user_id = $user_id AND m.said_ms >= $from_ms AND m.said_ms < $to_ms AND m.text <> ''
    AND (NOT $as_of OR m.received_at <= $known_at)
  WITH collect([m, found, expand]) AS found_messages
  // The index hints return neighbours in index order; without them a long session is sorted once per hit. CASE instead of OR,
  // because OR is planned as two seeks that read and sort all rows.
  CALL (found_messages) {
    UNWIND found_messages AS one
    RETURN one[0] AS n, one[1] AS hits
   UNION ALL
    UNWIND [one IN found_messages WHERE one[2] | one[0]] AS m
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
  WHERE {{unexpired n}} AND CASE WHEN $filtered THEN {{passes_filters n}} ELSE true END
  // Properties by key, because Neo4j plans `[n.id, n.uri, ...]` in time that is quadratic in the number of items.
  RETURN collect([[key IN ['id', 'session_id', 'said_ms', 'position', 'speaker', 'text', 'uri', 'role', 'importance', 'unread', 'tags', 'zone', 'emotion'] | n[key]],
    [key IN ['mentioned_start', 'mentioned_end'] | n[key].epochMillis],
    head([(n)-[:PART_OF]->(s:Scene) | s.id]), CASE WHEN NOT $with_tokens THEN vector.similarity.cosine(n.embedding, $vector) END, found,
    CASE WHEN $with_tokens THEN n.token_vectors END]) AS messages
}
CALL (named_entities) {
  CALL (named_entities) {
    UNWIND $abstract_searches AS search
    WITH search[0] AS channel, search[1] AS from_ms, search[2] AS to_ms,
      CASE search[0] WHEN 'other_language' THEN $cross_language ELSE $vector END AS v
    MATCH (s:Scene) SEARCH s IN (VECTOR INDEX scene_abstract_vector FOR v
      WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= from_ms AND s.start_ms < to_ms LIMIT $summaries_per_channel) SCORE AS score
    // Scenes that name no time happened when they were spoken of.
    WHERE CASE channel WHEN 'time' THEN s.scene_start IS NULL WHEN 'other_language' THEN left(s.abstract, $language_chars) =~ $other_language ELSE true END
    RETURN s, channel, score
   UNION ALL
    UNWIND $overview_searches AS channel
    WITH channel, CASE channel WHEN 'other_language' THEN $cross_language ELSE $vector END AS v
    MATCH (s:Scene) SEARCH s IN (VECTOR INDEX scene_overview_vector FOR v
      WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms LIMIT $summaries_per_channel) SCORE AS score
    WHERE channel <> 'other_language' OR left(s.abstract, $language_chars) =~ $other_language
    RETURN s, channel, score
   UNION ALL
    // When the scene was spoken of does not matter: a filter on time limits $happened_from and $happened_to, too.
    MATCH (s:Scene {tenant: $tenant, user_id: $user_id})
    USING INDEX SEEK s:Scene(tenant, user_id, scene_start, scene_end)
    WHERE $with_scenes AND s.scene_start >= $happened_since AND s.scene_start < $happened_to AND s.scene_end > $happened_from
    WITH s ORDER BY s.tenant DESC, s.user_id DESC, s.scene_start DESC LIMIT $happened_scan
    WITH s, vector.similarity.cosine(s.abstract_embedding, $vector) AS score ORDER BY coalesce(score, 0.0) DESC LIMIT $summaries_per_channel
    RETURN s, 'happened' AS channel, score
   UNION ALL
    CALL db.index.fulltext.queryNodes('scene_words', $scene_query, {limit: $summaries_per_channel}) YIELD node AS s, score
    WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms
    RETURN s, 'words' AS channel, score
   UNION ALL
    UNWIND CASE WHEN $with_scenes THEN named_entities END AS e
    CALL (e) {
      MATCH (e)<-[:MENTIONED]-(s:Scene) WHERE s.tenant = $tenant AND s.start_ms >= $from_ms AND s.start_ms < $to_ms
        AND (NOT $as_of OR NOT EXISTS { MATCH (later:Message)-[:PART_OF]->(s) WHERE later.received_at > $known_at })
      RETURN s LIMIT $edges_per_entity
    }
    WITH s, count(DISTINCT e) AS named ORDER BY named DESC, s.start_ms DESC LIMIT $summaries_per_channel
    RETURN s, 'entity' AS channel, toFloat(named) AS score
  }
  WITH s, collect([channel, score]) AS found
  WHERE (NOT $as_of OR NOT EXISTS { MATCH (later:Message)-[:PART_OF]->(s) WHERE later.received_at > $known_at })
    // A scene passes the filters if one of its messages does.
    AND (NOT $filtered OR EXISTS {
      MATCH (p:Message)-[:PART_OF]->(s)
      WHERE {{passes_filters p}} })
  CALL (s) {
    MATCH (p:Message)-[:PART_OF]->(s) WHERE $evidence_max > 0 AND p.user_id = $user_id AND {{unexpired p}}
    WITH p ORDER BY p.said_ms, p.position LIMIT $evidence_max
    RETURN collect(p) AS proofs
  }
  RETURN collect([['scene', found, [key IN ['id', 'uri', 'abstract', 'name', 'start_ms', 'importance'] | s[key]],
    [key IN ['scene_start', 'scene_end'] | s[key].epochMillis]], proofs]) AS scenes
}
CALL (entity_edges, second_hop) {
  CALL (entity_edges, second_hop) {
    // The indexes cannot filter by validity, so that is done after them, once for all.
    CALL () {
      WITH $vector AS v WHERE v IS NOT NULL AND ($with_facts OR $with_messages)
      MATCH ()-[r:{{predicates}}]->()
        SEARCH r IN (VECTOR INDEX fact_vector FOR v WHERE r.tenant = $tenant AND r.user_id = $user_id LIMIT $vector_k) SCORE AS score
      RETURN r, 'vector' AS channel, score
     UNION ALL
      WITH $cross_language AS v WHERE v IS NOT NULL AND ($with_facts OR $with_messages)
      MATCH ()-[r:{{predicates}}]->()
        SEARCH r IN (VECTOR INDEX fact_vector FOR v WHERE r.tenant = $tenant AND r.user_id = $user_id LIMIT $cross_language_k) SCORE AS score
      WHERE left(r.statement, $language_chars) =~ $other_language
      RETURN r, 'other_language' AS channel, score
     UNION ALL
      UNWIND $fact_queries AS search
      CALL db.index.fulltext.queryRelationships(search[1], search[2], {limit: $vector_k}) YIELD relationship AS r, score
      WHERE r.tenant = $tenant AND r.user_id = $user_id
      RETURN r, search[0] AS channel, score
    }
    WITH r, channel, score, coalesce({{holds r}}, false) AS valid
    WHERE {{started r}} AND (valid OR ($with_closed AND channel <> 'other_language'))
    // As many that have ended as valid ones, so that a long history of former values does not hide the one that is valid.
    WITH channel, valid, r, score ORDER BY score DESC
    WITH channel, valid, collect([r, score])[0..$summaries_per_channel] AS best
    UNWIND best AS one
    RETURN one[0] AS r, channel, one[1] AS score
   UNION ALL
    UNWIND CASE WHEN $with_facts THEN entity_edges END AS edge
    WITH edge[1] AS r, count(DISTINCT edge[0]) AS named ORDER BY named DESC, r.strength DESC, r.id LIMIT $summaries_per_channel
    RETURN r, 'entity' AS channel, toFloat(named) AS score
   UNION ALL
    UNWIND CASE WHEN $with_facts THEN second_hop END AS hop
    RETURN hop[0] AS r, 'hop' AS channel, hop[1] AS score
  }
  WITH r, collect([channel, score]) AS found, collect(channel) AS channels, NOT coalesce({{open r}}, false) AS closed
  // A fact passes the filters if one message of its evidence does.
  // What another fact says, too, has not ended with it.
  WHERE {{of_time r}} AND NOT (closed AND coalesce(r.closing_reason, '') = 'merged') AND (NOT $filtered OR EXISTS {
    UNWIND r.evidence AS message_id
    MATCH (p:Message {tenant: $tenant, id: message_id})
    WHERE {{passes_filters p}}
    RETURN p })
  CALL (r) {
    UNWIND CASE WHEN $with_facts THEN r.evidence[0..$evidence_max] END AS message_id
    MATCH (p:Message {tenant: $tenant, id: message_id}) WHERE p.user_id = $user_id AND (NOT $as_of OR p.received_at <= $known_at) AND {{unexpired p}}
    RETURN collect(p) AS proofs
  }
  // Compare facts in the other language that another channel found too. Reading an embedding is expensive.
  RETURN collect([['fact', found, [key IN ['id', 'uri', 'statement', 'relation', 'importance', 'strength', 'confidence', 'kind', 'rationale', 'steps', 'trigger_emotion', 'evidence', 'closed_by', 'closing_reason'] | r[key]],
    [key IN ['valid_at', 'mentioned_start', 'mentioned_end'] | r[key].epochMillis],
    CASE WHEN {{end_known r}} THEN r.invalid_at.epochMillis END, closed, {{told_as_ended r}}, type(r),
    [end IN [startNode(r), endNode(r)] | [end.name, end.id, end:Entity]],
    CASE WHEN NOT ('vector' IN channels OR 'other_language' IN channels) THEN vector.similarity.cosine(r.embedding, $vector) END,
    CASE WHEN NOT 'other_language' IN channels AND left(r.statement, $language_chars) =~ $other_language THEN vector.similarity.cosine(r.embedding, $cross_language) END],
    proofs]) AS facts
}
RETURN messages, [row IN scenes + facts | row[0] + [[p IN row[1] | [key IN ['id', 'uri', 'role', 'speaker', 'said_ms', 'zone'] | p[key]]
    + [left(p.text, $evidence_chars), CASE WHEN size(p.text) > $evidence_chars THEN size(p.text) END]]]] AS rows,
  [e IN named_entities | e.key] AS named
