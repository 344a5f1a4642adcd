"""What lies in a task's folder: the projection, its logs, what ended sessions left."""
