"""Tool servers that speak MCP: opened when the first agent needs them, shared by all, ended with all they started."""
