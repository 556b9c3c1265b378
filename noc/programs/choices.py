"""Trees and classes side by side: what each choice costs, and whether it can lock up."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from noc.errors import InputError
from noc.networks import Network
from noc.programs.classes import METHODS, Classes, by_height
from noc.programs.compile import program
from noc.programs.program import Program
from noc.programs.table import fabric
from noc.programs.waits import find_circle, levels, wait_graph
from noc.trees import Ports, algorithms_on

__all__ = ["Choice", "Comparison", "compare_choices"]


@dataclass(frozen=True)
class Choice:
    """An algorithm with a way to find classes.

    Parameters
    ----------
    algorithm : str
        The algorithm of the trees.
    height : int
        Hops of a word at most.
    states : int
        Distinct subtrees of all trees.
    rom_bits : int
        Bits of the largest router's table.
    method : str
        How the classes were found.
    classes : int
        Number of classes.
    circle : tuple of (str, int)
        Some circle of waits as (label, class), each waiting for the next; empty where there is
        none, that is, where all sources may send at once.
    header_bits : int
        Bits that travel with a word.
    modules : int
        Different router modules.
    """

    algorithm: str
    height: int
    states: int
    rom_bits: int
    method: str
    classes: int
    circle: tuple[tuple[str, int], ...]
    header_bits: int
    modules: int

    @property
    def certified(self) -> bool:
        """Whether no circle of waits can close."""
        return not self.circle

    @property
    def cost(self) -> tuple[int, int, int]:
        """What decides between two: classes are places and flags in every router, then tables."""
        return self.classes, self.rom_bits, self.modules


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
    """Compare all algorithms of a network, or some, each with all ways to find classes.

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

    >>> from noc.networks import network
    >>> compare_choices(network("star:4")).cheapest.classes
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
            compiled = program(network, name, ports=ports, sources=sources, progress=watch)
        except InputError as error:
            if algorithms is not None:
                raise
            refused.append((name, str(error)))
            continue
        choices += _choices(compiled)
    senders = None if sources is None else tuple(dict.fromkeys(sources))
    return Comparison(network, ports, tuple(choices), tuple(refused), senders)


def _choices(compiled: Program) -> Iterator[Choice]:
    height = by_height(compiled).count - 1
    for method in METHODS.values():
        classes = method(compiled)
        if classes is not None:
            yield _choice(compiled, classes, height)


def _choice(compiled: Program, classes: Classes, height: int) -> Choice:
    tables = fabric(compiled, classes).tables
    waits = wait_graph(compiled, classes)
    circle = () if levels(waits) is not None else find_circle(waits) or ()
    return Choice(
        algorithm=compiled.algorithm,
        height=height,
        states=compiled.states,
        rom_bits=compiled.rom_bits,
        method=classes.method,
        classes=classes.count,
        circle=tuple((compiled.network.label(node), class_) for node, class_ in circle),
        header_bits=max(table.header_bits for table in tables),
        modules=len(tables),
    )
