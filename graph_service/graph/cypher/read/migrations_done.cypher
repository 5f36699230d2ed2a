// Names of the migrations that ran.
// -> name
MATCH (m:Migration) RETURN m.name AS name
