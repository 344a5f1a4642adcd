"""What is said, and where: threads, sessions, turns, messages, and the history as a provider takes it."""
