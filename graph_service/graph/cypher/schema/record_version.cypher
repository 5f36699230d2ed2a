// Record that a migration ran.
// $name: str
// -> name
MERGE (m:Migration {name: $name}) ON CREATE SET m.ran_at = datetime() RETURN m.name AS name
