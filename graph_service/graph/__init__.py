"""Access to Neo4j: the only package that uses the driver."""
