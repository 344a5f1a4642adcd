"""What follows from the end of a session."""
