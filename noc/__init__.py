"""Networks-on-chip that broadcast in hardware: networks, trees, programs, models."""

__version__ = "0.1.0"
