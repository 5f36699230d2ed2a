"""Tools with the names that mem0's MCP server has."""

MEM0 = ()
