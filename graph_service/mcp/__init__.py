"""MCP server: tools and resources for agents, over stdio and streamable HTTP."""
