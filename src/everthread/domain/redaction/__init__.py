"""Secrets: how they are known, and what stands in their place."""
