"""Dialects of the harnesses: what they tell us and what they want to hear."""
