"""Tasks: one use case per file, named by its verb."""
