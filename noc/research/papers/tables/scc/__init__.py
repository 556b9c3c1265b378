"""The star-connected cycles report."""
