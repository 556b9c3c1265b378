"""Trees of each source, for one source at a time."""
