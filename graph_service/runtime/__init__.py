"""The running process: its Neo4j, connections, start, stop."""
