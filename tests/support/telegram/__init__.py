"""A Bot API server on loopback that keeps the real rules. Driven by the unmodified library."""
