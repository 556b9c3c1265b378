"""What lies in the output folder: Verilog, ROM files, manifest, and a bench."""
