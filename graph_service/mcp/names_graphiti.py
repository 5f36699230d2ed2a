"""Tools with the names that Graphiti's MCP server has."""

GRAPHITI = ()
