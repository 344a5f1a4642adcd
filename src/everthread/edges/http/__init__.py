"""The HTTP API: JSON under /api, one table of routes, behind a token."""
