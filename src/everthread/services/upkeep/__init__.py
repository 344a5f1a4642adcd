"""The state of the house: verified, reported, diagnosed, kept small, carried elsewhere."""
