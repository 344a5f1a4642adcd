"""What is said is kept, in its thread and its session, and read again as it was."""
