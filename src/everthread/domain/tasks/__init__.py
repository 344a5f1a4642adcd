"""Work over many sessions: gates, checkpoints, rituals, retries, files, events."""
