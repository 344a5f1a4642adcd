"""The daemon: one process per home folder that serves hooks, the API and MCP."""
