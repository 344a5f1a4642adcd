"""A turn, from its beginning to its end, also where nobody ends it."""
