"""The only package that speaks to Neo4j, local or given."""
