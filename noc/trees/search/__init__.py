"""The search for one-port broadcasts in few steps: rounds, annealing, bounds, store, formulas."""
