"""The service: one `Memory` on one Neo4j graph, with a command line, HTTP and WebSocket APIs, and an MCP server."""
