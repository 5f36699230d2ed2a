"""The GraphQL and REST doors."""
