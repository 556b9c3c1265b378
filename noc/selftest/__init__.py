"""A self-test in hardware: sources, checkers and a report as text, around an emitted network."""
