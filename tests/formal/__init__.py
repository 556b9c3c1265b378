"""Proofs about the router, at its ports; what they say is written in ``docs/formal.md``."""
