// Record that a migration starts.
// $name: str
// -> name
MERGE (m:Migration {name: $name}) RETURN m.name AS name
