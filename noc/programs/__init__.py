"""Programs: trees compiled into the small ROM tables by which routers forward."""

from noc.programs.automaton import Automaton
from noc.programs.build import build_program
from noc.programs.compile import build_automaton, compile_trees
from noc.programs.execute import Delivery, check_spanning, execute
from noc.programs.program import Program

__all__ = [
    "Automaton",
    "Delivery",
    "Program",
    "build_automaton",
    "build_program",
    "check_spanning",
    "compile_trees",
    "execute",
]
