"""Networks-on-chip that broadcast in hardware: networks, trees, programs, models."""
