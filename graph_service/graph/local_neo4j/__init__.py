"""Run Neo4j Community in a child process, for installations without a Neo4j server."""
