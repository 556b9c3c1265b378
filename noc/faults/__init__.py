"""Faults in the hardware as it is built: gates of its Verilog, flipped and stuck, many at once."""
