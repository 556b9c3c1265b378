"""How long an operation takes when nothing else moves, by its program or else by the model."""

from noc.model.ordered.patterns import Given, as_traffic
from noc.model.ordered.run import simulate_ordered
from noc.programs.latency import Parties, count_cycles
from noc.programs.operations import Operation
from noc.programs.ordered import OrderedProgram

__all__ = ["measure_cycles"]


def measure_cycles(
    program: OrderedProgram, operation: Operation, parties: Parties, words: int
) -> int:
    """Cycles from the first words, given in one cycle, to the last that a node takes.

    Parameters
    ----------
    program, operation, parties, words
        As :func:`noc.programs.latency.count_cycles` takes them.
    """
    cycles = count_cycles(program, operation, parties, words)
    return _play(program, operation, parties, words) if cycles is None else cycles


def _play(program: OrderedProgram, operation: Operation, parties: Parties, words: int) -> int:
    """The cycle of the last transfer at an eject stream in the cycle model; 0 if there is none."""
    number = program.operations.listed.index(operation)
    given: list[list[Given]] = [[] for _ in range(program.network.nodes)]
    named = sorted(program.numbers[node] for node in parties.receivers)
    for node in parties.givers:
        for to in named if operation.to_node else [0]:
            given[node] += [Given(0, number, to)] * words
    traffic = as_traffic(program, given)

    whole = simulate_ordered(program, traffic, events=False)
    cycles = whole.cycles if whole.delivered else 1
    # The end may be that of a word which is dropped at its source.
    while (
        whole.delivered
        and simulate_ordered(program, traffic, cycles=cycles - 1, events=False).delivered
        == whole.delivered
    ):
        cycles -= 1
    return cycles - 1
