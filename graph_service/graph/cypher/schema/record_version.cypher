// Record that a migration finished.
// $name: str
// -> name
MERGE (m:Migration {name: $name}) SET m.ran_at = coalesce(m.ran_at, datetime()) RETURN m.name AS name
