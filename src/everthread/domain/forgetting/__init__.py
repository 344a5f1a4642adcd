"""How what is to be said no more leaves what was made of it."""
