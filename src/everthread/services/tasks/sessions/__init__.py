"""A session of a task from its startup ritual to its end, and the context it carries meanwhile."""
