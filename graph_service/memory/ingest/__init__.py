"""Store messages durably, or keep them in the spool while Neo4j is unavailable."""
