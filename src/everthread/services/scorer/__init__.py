"""Learning what helps, and telling whether it does."""
