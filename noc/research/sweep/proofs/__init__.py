"""Whether a broadcast can take so many steps: solvers, certificates and their checkers."""
