"""Words climb one tree to its root, and come down another."""
