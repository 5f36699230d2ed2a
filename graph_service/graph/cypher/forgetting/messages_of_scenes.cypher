// Messages of some scenes; one is ending if less than a twentieth of its time is left. Unique index memory_id.
// $tenant: str
// $ids: list of scene ids
// -> id, scene_id, session, text, said_at, is_ending
UNWIND $ids AS id
MATCH (m:Message)-[:PART_OF]->(:Memory {tenant: $tenant, id: id})
RETURN m.id AS id, id AS scene_id, m.session_id AS session, m.text AS text, m.said_at AS said_at,
       coalesce(20 * (m.expires_ms - timestamp()) < m.expires_ms - m.received_at.epochMillis, false) AS is_ending
ORDER BY id
