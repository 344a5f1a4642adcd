"""The engine's values as JSON documents, the same for every door."""
