"""The search for one-port broadcasts in few steps: rounds, annealing, store, formulas.

Its algorithm is installed in the entry-point group ``arbornoc.algorithms``.
"""
