"""Is a sentence borne out by its sources? Decided by rule."""
