// Create or update scenes, link them to their session, and assign messages to them with the time that each mentions.
// hot
// $tenant: str
// $session: str
// $rows: list of {id, properties, messages, cost}, ordered by id; messages are {id, mentioned_start, mentioned_end, emotion}; cost is
// {calls, tokens_in, tokens_out} of this reading
// -> id, messages
MATCH (session:Session {tenant: $tenant, id: $session})
UNWIND $rows AS row
MERGE (s:Memory {tenant: $tenant, id: row.id}) ON CREATE SET s:Scene
SET s += row.properties, s.session_id = $session, s.calls = coalesce(s.calls, 0) + row.cost.calls,
    s.tokens_in = coalesce(s.tokens_in, 0) + row.cost.tokens_in, s.tokens_out = coalesce(s.tokens_out, 0) + row.cost.tokens_out
MERGE (s)-[:IN_SESSION]->(session)
WITH s, row
UNWIND row.messages AS held
MATCH (m:Message {tenant: $tenant, id: held.id})
MERGE (m)-[:PART_OF]->(s)
SET m.unread = null, m.mentioned_start = held.mentioned_start, m.mentioned_end = held.mentioned_end, m.emotion = held.emotion
RETURN s.id AS id, count(m) AS messages
