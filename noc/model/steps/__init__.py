"""The papers' step model: words, packets and faults, counted in the papers' unit of time."""

from noc.model.steps.words import LOST, Outcome, Word, run

__all__ = ["LOST", "Outcome", "Word", "run"]
