"""The hardware: a network, and a processing element at each of its nodes."""
