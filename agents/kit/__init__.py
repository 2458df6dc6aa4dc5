"""What every agent needs: an A2A service around a graph that reads its data through an MCP server of its own."""
