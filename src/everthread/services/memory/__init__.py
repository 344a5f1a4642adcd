"""Memories and notes, the index, and finding again."""
