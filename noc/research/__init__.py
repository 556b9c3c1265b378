"""The papers' tables, searches for schedules with their proofs, and sweeps of many designs.

It imports the rest of the package and is imported by nothing: its commands are installed in the
entry-point group ``arbornoc.commands``, as those of any other package may be.
"""
