"""The GraphQL schema and how operations are executed."""
