"""What is worth keeping: memories and notes, when two are one, when a later takes an earlier's place."""
