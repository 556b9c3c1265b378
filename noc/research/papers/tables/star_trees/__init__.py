"""Balanced spanning trees in complete and incomplete star graphs."""
