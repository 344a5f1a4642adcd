"""Models that distil: one file a vendor, and the one way in which all of them are asked."""
