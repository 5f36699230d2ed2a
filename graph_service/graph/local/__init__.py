"""A real Neo4j Community in a child process of its own, for installations that have no server."""
