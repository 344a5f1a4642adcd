"""What agents say to each other, and the limits of it."""
