"""Finding again: what a question asks for, how well a candidate answers it, what may be shown."""
