"""A design: a program and the width of its words, ready for model and hardware."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar, Literal, TypedDict, Unpack, get_args

from noc import fabric as fabrics
from noc.errors import InputError, option, switch
from noc.fabric import FABRICS
from noc.networks import Network, as_network
from noc.node_lists import Sources, read_groups, read_nodes, read_sources
from noc.options import OPTIONS, Choices, Ejects, FabricName, Protection, Rom, Start
from noc.programs import Program, build_automaton, build_program
from noc.programs.by_source import compile_by_source
from noc.programs.compile import Progress
from noc.programs.config import STANDARD, RouterConfig, Sinks
from noc.programs.joins import GroupJoins
from noc.programs.load_words import LoadFormat
from noc.programs.operations import Operations, read_operations
from noc.programs.ordered import OrderedProgram, compile_ordered
from noc.programs.ordered_config import PLAIN, OrderedConfig
from noc.programs.round_words import Told
from noc.programs.table import part_bits
from noc.programs.word_format import MOST_WIDTH, WordFormat
from noc.trees import Ports
from noc.trees.even import Ways

__all__ = [
    "MOST_WIDTH",
    "USUAL",
    "AnyDesign",
    "Design",
    "DesignOptions",
    "FabricName",
    "OrderedDesign",
    "Sources",
    "build_design",
    "build_direct",
    "build_ordered",
    "check_width",
    "fabric_for",
    "read_groups",
    "read_nodes",
    "read_sources",
]

#: Registers in each link, or by the two nodes of a link.
LinkRegisters = int | Mapping[tuple[int, int], int]

#: What becomes of a word that comes back to its source.
OwnWords = Literal["drop", "return"]

#: How trees are built where nothing else is asked for.
USUAL: dict[FabricName, str] = {
    "ordered": "even",
    "direct": "shortest",
    "timetable": "timetable",
}


@dataclass(frozen=True, eq=False)
class AnyDesign(ABC):
    """A design of any fabric: what its routers or nodes do, and the bits of a word's data."""

    program: Any
    width: int
    #: Whether one flip-flop that changes its value changes nothing else, or raises an alarm.
    protect: Protection = field(default="none", kw_only=True)

    #: The fabric, one of ``noc.fabric.FABRICS``.
    fabric: ClassVar[FabricName]

    def __post_init__(self) -> None:
        check_width(self.width)
        check_protection(self.protect)
        if self.protect == "detect" and self.fabric != "ordered":
            raise InputError(f"{option('protect', 'detect')}: is for the ordered fabric only")

    @property
    def network(self) -> Network:
        """The network."""
        network: Network = self.program.network
        return network

    @property
    def config(self) -> Any:
        """How its routers or nodes are built."""
        return self.program.config

    @property
    @abstractmethod
    def sources(self) -> Sources:
        """Whether all of its sources may send at the same time, or one at a time."""

    @property
    @abstractmethod
    def operations(self) -> Operations:
        """What words can ask for."""

    @property
    @abstractmethod
    def words(self) -> WordFormat:
        """What lies in its words."""

    @property
    @abstractmethod
    def numbers(self) -> Sequence[int]:
        """For each node the number by which words name it."""

    @property
    @abstractmethod
    def root(self) -> int:
        """The node at which trees are shown where one must be chosen."""

    @property
    @abstractmethod
    def senders(self) -> list[int]:
        """The nodes that have an inject stream, for words that are sent or joined."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """The first eight hex digits of a hash of the hardware."""

    @property
    def own_words(self) -> bool:
        """Whether a node gets its own words back."""
        return False

    @property
    def always_ready(self) -> bool:
        """Whether the sinks of all nodes take every word at once."""
        always_ready: bool = self.config.always_ready
        return always_ready

    @property
    def sink_timeout(self) -> int:
        """Cycles after which a sink that takes no word is given none any more; 0 for never."""
        return 0

    @property
    def joins(self) -> Sequence[GroupJoins]:
        """For each group whose words are joined, where that happens."""
        return ()

    @property
    def operators(self) -> set[str]:
        """What combines words."""
        return {each.operator for each in self.operations.listed} - {""}

    @property
    def round(self) -> int:
        """The cycles of a round, where nodes count them; else 1."""
        return 1

    @property
    def complete(self) -> bool:
        """Whether the words of all nodes go together, or none do."""
        return False

    @property
    def load_format(self) -> LoadFormat | None:
        """What lies in words that write rows of tables, where these can be written."""
        return None

    @property
    def receivers(self) -> list[int]:
        """The nodes that have an eject stream."""
        return list(range(self.network.nodes))

    def lanes(self, _node: int) -> tuple[int, ...]:
        """The in-ports that have an eject stream each; none where a node has one for all."""
        return ()

    def inject_lanes(self, _node: int) -> tuple[int, ...]:
        """The out-ports that have an inject stream each; none where a node has one for all."""
        return ()

    @property
    def in_rounds(self) -> bool:
        """Whether words come in rounds."""
        return False

    @property
    def told(self) -> tuple[str, int]:
        """What an eject stream's word is known by, a source or a sum, and how many there are."""
        return "source", self.network.nodes

    def arrivals(self, _node: int) -> Sequence[Told]:
        """For each of several eject streams of a node what comes in each phase."""
        return ()

    @property
    def kind(self) -> str:
        """What a report calls it."""
        return self.fabric

    @property
    def named_groups(self) -> dict[str, list[str]]:
        """The labels of the nodes of each group, by its name; nothing where words are broadcast."""
        groups = () if self.operations.only_broadcast else self.operations.groups
        return {name: [self.network.label(node) for node in nodes] for name, nodes in groups}

    @property
    def in_order(self) -> list[int]:
        """The nodes by the numbers by which words name them."""
        return sorted(range(self.network.nodes), key=self.numbers.__getitem__)

    @property
    def named_sources(self) -> Sources | list[str]:
        """Which nodes may send, as users say it: all, one at a time, or their labels."""
        if len(self.senders) < self.network.nodes:
            return [self.network.label(node) for node in self.senders]
        return self.sources


@dataclass(frozen=True, eq=False)
class TableDesign(AnyDesign):
    """A design whose routers differ by their tables, and whose words carry nothing but data."""

    @property
    def operations(self) -> Operations:
        """What words can ask for: to be broadcast, and nothing else."""
        return read_operations(self.network)

    @cached_property
    def words(self) -> WordFormat:
        """What lies in its words: data, and no number of their source."""
        return WordFormat(self.width, self.network.nodes, source_numbers=False)

    @property
    def numbers(self) -> Sequence[int]:
        """Those of the network."""
        return range(self.network.nodes)

    @property
    def senders(self) -> list[int]:
        """The sources."""
        return list(self.program.sources)

    def _digest(self, *parameters: object) -> str:
        """Of tables, links, and what else decides the hardware."""
        parameters += (self.protect,) * (self.protect != "none")
        digest = hashlib.sha256(repr((self.program.tables, *parameters)).encode())
        for array in (self.network.neighbour, self.network.arrival, self.program.table):
            digest.update(array.astype("<i8").tobytes())
        return digest.hexdigest()[:8]


@dataclass(frozen=True, eq=False)
class Design(TableDesign):
    """A design of the direct fabric: a tree of each source, for one source at a time.

    The words of one source must have drained before another begins. Where a source has several
    trees, each carries a slice of all words.
    """

    program: Program
    fabric = "direct"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.program.dead and not self.config.survive:
            raise InputError(
                f"{option('dead')}: is for networks that survive some; add {option('survive', 1)}"
            )
        if self.width < self.program.parts:
            raise InputError(
                f"{option('width', self.width)}: each of {self.program.parts} trees carries a "
                "slice of a word, of a bit at least"
            )

    @property
    def sources(self) -> Sources:
        """One source sends at a time."""
        return "one"

    @property
    def kind(self) -> str:
        """How its routers send."""
        return f"ports {self.program.ports}"

    @property
    def root(self) -> int:
        """The first source."""
        return self.program.sources[0]

    @property
    def load_format(self) -> LoadFormat | None:
        """That of its tables, where they are writable."""
        return LoadFormat.of(self.network) if self.config.rom == "writable" else None

    @property
    def link_width(self) -> int:
        """Bits of data on a link: of a word, or of a slice of one."""
        return part_bits(self.program.parts, self.width)

    @property
    def digest(self) -> str:
        """Of tables, links and configuration."""
        program = self.program
        more: list[Any] = ["always-ready"] * self.always_ready
        if program.slices > 1:
            more += [program.slices, program.slice_of.tolist(), program.wait_of.tolist()]
            more += ["survive", program.config.survive] * (program.config.survive > 0)
            more += ["dead", sorted(program.dead)] * bool(program.dead)
        return self._digest(self.config, self.width, self.network.out_ports, *more)


def build_direct(
    network: Network | str,
    algorithm: str = "shortest",
    *,
    ports: Ports = "all",
    sources: Sources | Sequence[int | str] = "one",
    width: int = 32,
    config: RouterConfig = STANDARD,
    dead: Iterable[tuple[int, int]] = (),
    progress: Callable[[float], None] | None = None,
) -> Design:
    """Compile a network for the direct fabric, where each source has trees of its own.

    Parameters
    ----------
    network, algorithm : Network or str, str
        The network, or its name, and how to build its trees.
    ports : "all" or "one"
        Whether a router sends its copies at will, or one after the other.
    sources : "one" or sequence of int or str
        Whether any node may send, one at a time, or a single one.
    width, config : int, RouterConfig
        Bits of a word's data, and how the routers are built.
    dead : iterable of (node, out-port)
        Links that carry nothing.
    progress : callable, optional
        Called with the part of the trees that is done, 0 to 1.
    """
    check_width(width)
    network = as_network(network)
    senders = None if sources == "one" else _read_sender(network, sources)
    compile_tables = compile_by_source if config.rom == "writable" else _compile_codes
    program = compile_tables(network, algorithm, ports, senders, config, progress)
    return Design(replace(program, dead=frozenset(dead)), width)


def _compile_codes(
    network: Network,
    algorithm: str,
    ports: Ports,
    sources: Sequence[int] | None,
    config: RouterConfig,
    progress: Progress | None,
) -> Program:
    """The program with codes that say what is to be done with a word."""
    automaton = build_automaton(network, algorithm, ports=ports, sources=sources, progress=progress)
    return build_program(automaton, config)


def _read_sender(network: Network, sources: Sources | Sequence[int | str]) -> list[int]:
    """A single source; several are not for the direct fabric."""
    _check_sources(sources)
    several = isinstance(sources, str)
    senders = [] if several else [network.node(each, argument="sources") for each in sources]
    if len(set(senders)) != 1:
        raise InputError(
            f"{option('fabric', 'direct')}: is for one sender at a time; add "
            f"{option('sources', 'one')}, name a single node, or choose the ordered fabric"
        )
    return senders[:1]


@dataclass(frozen=True, eq=False)
class OrderedDesign(AnyDesign):
    """A design of the ordered fabric: one tree up, another down, for all sources at once."""

    program: OrderedProgram
    fabric = "ordered"

    @property
    def sources(self) -> Sources:
        """All of its sources may send at the same time."""
        return "all"

    @property
    def operations(self) -> Operations:
        """What words can ask for."""
        return self.program.operations

    @cached_property
    def words(self) -> WordFormat:
        """What lies in its words."""
        return replace(self.program.words(self.width), parity=self.protect == "detect")

    @property
    def numbers(self) -> Sequence[int]:
        """Those of the program."""
        return self.program.numbers

    @property
    def own_words(self) -> bool:
        """As configured."""
        return self.program.config.own_words

    @property
    def sink_timeout(self) -> int:
        """As configured."""
        return self.program.config.sink_timeout

    @property
    def joins(self) -> Sequence[GroupJoins]:
        """Those of the program."""
        return self.program.joins

    @property
    def root(self) -> int:
        """Where words turn round."""
        return self.program.root

    @property
    def senders(self) -> list[int]:
        """The nodes whose plans have an inject stream."""
        plans = map(self.program.plan_of, range(self.network.nodes))
        return [node for node, plan in enumerate(plans) if plan.injects]

    @property
    def digest(self) -> str:
        """Of plans and trees."""
        program = self.program
        content: tuple[object, ...]
        content = (program.plans, program.source_bits, self.config.queue, self.width)
        content += ("always-ready",) * self.always_ready
        content += (self.protect,) * (self.protect != "none")
        content += ("sink_timeout", self.sink_timeout) * (self.sink_timeout > 0)
        content += ("lookahead",) * self.config.lookahead
        content += ("turn_slots",) * program.plan_of(program.root).turn_slots
        content += tuple((plan.stop_inputs, plan.depth) for plan in program.plans if plan.depth)
        registers = (program.up_registers, program.down_registers)
        digest = hashlib.sha256(repr((content, registers)).encode())
        if not program.operations.only_broadcast:
            joins = [plan.joins for plan in program.plans]
            content = (program.operations, joins, program.numbers, self.config.watchdog)
            content += ("void_words",) * self.config.void_words
            content += ("stand_ins",) * self.config.stand_ins
            digest.update(repr(content).encode())
        for array in (program.plan, program.up_parent, program.down.parent):
            digest.update(array.astype("<i8").tobytes())
        return digest.hexdigest()[:8]


def build_ordered(
    network: Network | str,
    algorithm: str | Ways = "even",
    *,
    sources: Sequence[int | str] | None = None,
    root: int | str | None = None,
    width: int = 32,
    config: OrderedConfig = PLAIN,
    operations: Iterable[str] | None = None,
    groups: Mapping[str, Sequence[int | str]] | None = None,
) -> OrderedDesign:
    """Compile a network for the ordered fabric.

    Parameters
    ----------
    network, algorithm, sources, root, config, operations, groups
        As :func:`noc.programs.ordered.compile_ordered` takes them.
    width : int
        Bits of a word's data.
    """
    check_width(width)
    program = compile_ordered(
        network,
        algorithm,
        sources=sources,
        root=root,
        config=config,
        operations=operations,
        groups=groups,
    )
    return OrderedDesign(program, width)


class DesignOptions(TypedDict, total=False):
    """Options of a design that some fabrics have, by name: ``docs/commands.md`` explains each.

    What is left out, and None, is what the commands choose.
    """

    ports: Ports | None
    rom: Rom | None
    #: In each link, or by the two nodes of a link.
    link_registers: LinkRegisters
    queue: int
    sinks: Sinks | None
    survive: int
    #: Links as ``FROM/TO``, and nodes, with commas between them.
    dead: str | None
    root: int | str | None
    source_numbers: bool | None
    own_words: OwnWords | None
    #: As ``docs/collectives.md`` spells them; a single text has commas between them.
    operations: Iterable[str] | None
    #: The nodes of each group, by its name.
    groups: Mapping[str, Sequence[int | str]] | None
    group_queue: int
    void_words: bool | None
    stand_ins: bool | None
    watchdog: int
    sink_timeout: int
    lookahead: bool | None
    #: A name, or a JSON file with a list of ``{from, to}``, or sources and targets.
    exchange: str | PathLike[str] | Iterable[tuple[int | str, int | str]] | None
    round: int
    start: Start | None
    ejects: Ejects | None
    choices: Choices | None


def build_design(
    network: Network | str,
    algorithm: str | Ways | None = None,
    *,
    fabric: FabricName | None = None,
    sources: str | Sequence[int | str] | None = None,
    width: int = 32,
    protect: Protection | None = None,
    progress: Callable[[float], None] | None = None,
    **options: Unpack[DesignOptions],
) -> AnyDesign:
    """Compile a network for hardware, with the options of the commands; None is what they choose.

    Parameters
    ----------
    network, algorithm : Network or str, str or Ways
        The network, or its name, and how to build trees; by default ``even`` in the ordered fabric
        and ``shortest`` in the direct. The ordered fabric takes trees as well.
    fabric : "ordered", "direct" or "timetable", optional
        Up one tree and down another, trees of each source, or all sources in rounds; without,
        ordered where several nodes may send at the same time.
    sources : "all", "one", labels with commas between them, or sequence of int or str, optional
        Whether all nodes may send at the same time, or one at a time, or some at the same time.
        Without, one in the direct fabric if that is asked for, else all.
    width : int
        Bits of a word's data.
    protect : "none", "tmr" or "detect", optional
        Whether each register has three copies and a vote; or, in the ordered fabric, words have a
        parity and other registers two copies, so that an alarm tells of one that flips. Without,
        it has not.
    progress : callable, optional
        Called with the part of the trees that is done, 0 to 1.
    options : DesignOptions
        What is of some fabrics only.
    """
    if fabric is not None and fabric not in FABRICS:
        raise InputError(f"{option('fabric', fabric)}: {' or '.join(FABRICS)} are allowed")
    check_width(width)
    check_protection(protect or "none")
    network = as_network(network)
    if isinstance(operations := options.get("operations"), str):
        options["operations"] = operations.split(",")
    options["groups"] = options.get("groups") or None
    if sources is None:
        sources = "one" if fabric == "direct" else "all"
    senders = read_sources(network, sources) if isinstance(sources, str) else sources
    chosen = fabric or ("ordered" if operations is not None else fabric_for(senders))
    build = fabrics.module(chosen, "build").build
    design: AnyDesign = build(
        network,
        algorithm or USUAL[chosen],
        sources=senders,
        width=width,
        progress=progress,
        **_own_options(chosen, {"link_registers": 0, **options}, named=fabric is not None),
    )
    return replace(design, protect=protect) if protect else design


def _own_options(fabric: str, given: Mapping[str, Any], *, named: bool) -> dict[str, Any]:
    """All that the fabric has, which somebody named or not; others are refused."""
    names = DesignOptions.__annotations__
    if unknown := given.keys() - names:
        raise TypeError(f"build_design() got an unexpected keyword argument '{min(unknown)}'")
    own = {}
    for name in names:
        known = OPTIONS[name]
        value = given.get(name, known.default)
        if fabric in known.fabrics:
            own[name] = value
        elif value is not None and value != known.default:
            if known.kind in ("list", "repeated"):
                shown = option(name, flag=known.flag or None)
            else:
                shown = switch(name, value) if isinstance(value, bool) else option(name, value)
            owners = " and the ".join(known.fabrics)
            remedy = "" if named else f"; use {option('fabric', known.fabrics[0])}"
            raise InputError(f"{shown}: is for the {owners} fabric only{remedy}")
    return own


def fabric_for(sources: Sources | Sequence[int | str]) -> FabricName:
    """The fabric for some sources: ordered where several nodes may send at the same time."""
    _check_sources(sources)
    several = sources != "one" if isinstance(sources, str) else len(set(sources)) > 1
    return "ordered" if several else "direct"


def _check_sources(sources: Sources | Sequence[int | str]) -> None:
    if isinstance(sources, str) and sources not in get_args(Sources):
        raise InputError(f"{option('sources', sources)}: all or one are allowed, or some nodes")


def check_protection(protect: Protection) -> None:
    """Refuse one that is none."""
    if protect not in get_args(Protection):
        *others, last = get_args(Protection)
        allowed = f"{', '.join(others)} or {last}"
        raise InputError(f"{option('protect', protect)}: {allowed} are allowed")


def check_width(width: int) -> None:
    """Refuse a width that no word can have."""
    if type(width) is not int or not 1 <= width <= MOST_WIDTH:
        raise InputError(f"{option('width', width)}: from 1 to {MOST_WIDTH} bits are allowed")
