"""Trees and virtual channels side by side: what each choice costs, and whether it can deadlock."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from noc.errors import InputError
from noc.networks import Network
from noc.programs.automaton import Automaton
from noc.programs.build import build_program
from noc.programs.compile import build_automaton
from noc.programs.dependencies import build_dependencies, find_cycle
from noc.programs.vcs import METHODS, VcAssignment, assign_by_height
from noc.trees import Ports, algorithms_on

__all__ = ["Choice", "Comparison", "compare_choices"]


@dataclass(frozen=True)
class Choice:
    """An algorithm with a way to find virtual channels, as it would be built.

    Parameters
    ----------
    algorithm : str
        The algorithm of the trees.
    height : int
        Hops of a word at most.
    states : int
        States of the automaton.
    method : str
        How the VCs were found.
    vcs : int
        Number of VCs.
    cycle : tuple of (str, int)
        Some dependency cycle as (label, VC), each waiting for the next; empty where there is none,
        that is, where all sources may send at once.
    code_bits : int
        Bits that travel with a word.
    rom_bits : int
        Bits of the largest router's ROM.
    modules : int
        Different router modules.
    """

    algorithm: str
    height: int
    states: int
    method: str
    vcs: int
    cycle: tuple[tuple[str, int], ...]
    code_bits: int
    rom_bits: int
    modules: int

    @property
    def certified(self) -> bool:
        """Whether there is no dependency cycle."""
        return not self.cycle

    @property
    def cost(self) -> tuple[int, int, int]:
        """What decides between two: VCs are slots and flags in every router, then ROMs."""
        return self.vcs, self.rom_bits, self.modules


@dataclass(frozen=True)
class Comparison:
    """All choices of a network.

    Parameters
    ----------
    network : Network
        The network.
    ports : "all" or "one"
        The model of all trees.
    choices : tuple of Choice
        By algorithm, then by method.
    refused : tuple of (str, str)
        Algorithms that this network does not allow, with the reason.
    sources : tuple of int or None
        The nodes that may send; None for all.
    """

    network: Network
    ports: Ports
    choices: tuple[Choice, ...]
    refused: tuple[tuple[str, str], ...]
    sources: tuple[int, ...] | None = None

    @property
    def cheapest(self) -> Choice:
        """The cheapest that lets all sources send at once."""
        certified = (choice for choice in self.choices if choice.certified)
        return min(certified, key=lambda choice: choice.cost)


def compare_choices(
    network: Network,
    *,
    ports: Ports = "all",
    algorithms: Sequence[str] | None = None,
    sources: Sequence[int] | None = None,
    progress: Callable[[str], Callable[[float], None] | None] | None = None,
) -> Comparison:
    """Compare all algorithms of a network, or some, each with all ways to find VCs.

    Parameters
    ----------
    network : Network
        The network.
    ports : "all" or "one"
        Whether a node may send on all of its ports in a step, or on one.
    algorithms : sequence of str, optional
        Only these.
    sources : sequence of int, optional
        Only these nodes send.
    progress : callable, optional
        Gives for each algorithm what is told how much of its trees is done.

    >>> from noc.networks import build_network
    >>> compare_choices(build_network("star:4")).cheapest.vcs
    3
    """
    names = algorithms
    if names is None:
        names = [entry.name for entry in algorithms_on(network) if ports in entry.models]
    choices: list[Choice] = []
    refused: list[tuple[str, str]] = []
    for name in names:
        watch = progress(name) if progress else None
        try:
            automaton = build_automaton(network, name, ports=ports, sources=sources, progress=watch)
        except InputError as error:
            if algorithms is not None:
                raise
            refused.append((name, str(error)))
            continue
        choices += _choices(automaton)
    senders = None if sources is None else tuple(dict.fromkeys(sources))
    return Comparison(network, ports, tuple(choices), tuple(refused), senders)


def _choices(automaton: Automaton) -> Iterator[Choice]:
    height = assign_by_height(automaton).count - 1
    for method in METHODS.values():
        vcs = method(automaton)
        if vcs is not None:
            yield _choice(automaton, vcs, height)


def _choice(automaton: Automaton, vcs: VcAssignment, height: int) -> Choice:
    program = build_program(automaton, vcs)
    cycle = find_cycle(build_dependencies(program)) or ()
    return Choice(
        algorithm=automaton.algorithm,
        height=height,
        states=automaton.states,
        method=vcs.method,
        vcs=vcs.count,
        cycle=tuple((automaton.network.label(node), vc) for node, vc in cycle),
        code_bits=program.code_bits,
        rom_bits=program.rom_bits,
        modules=len(program.tables),
    )
