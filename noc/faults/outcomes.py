"""What may become of a fault."""

from typing import Literal, get_args

#: What became of a run: nobody saw anything; all words came, but in other cycles; an alarm told;
#: a sink got a wrong word, twice one, in a wrong order, or lacks one; or words came no more.
Outcome = Literal["masked", "late", "detected", "wrong", "hung"]

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
