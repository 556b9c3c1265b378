"""Timetables to tables of routers, each different one once."""

from collections.abc import Iterator

import numpy as np

from noc.networks import ABSENT, IntArray, Network
from noc.programs.round_config import RoundConfig
from noc.programs.round_table import OWN, Choice, Register, RoundTable, loop_of
from noc.programs.round_words import ROUNDS
from noc.programs.rounds import RoundProgram
from noc.programs.sums import SumProgram
from noc.trees.timetables import (
    ALL_GATHER,
    Exchange,
    Hop,
    Routes,
    SumHop,
    Sums,
    Timetable,
    registers_of,
    rows_of,
)
from noc.trees.tree import Tree


def compile_rounds(timetable: Timetable) -> RoundProgram:
    """The routers by which all nodes broadcast as a timetable says."""
    network, length = timetable.network, timetable.steps
    trees = {0: timetable.trees[0]} if network.symmetric else dict(enumerate(timetable.trees))
    sends: dict[int, dict[int, list[Register | None]]] = {node: {} for node in trees}
    for tree in trees.values():
        for node, port, phase, register in _sends_of(tree):
            choices = sends[0 if network.symmetric else node].setdefault(port, [None] * length)
            choices[phase] = register
    arrival = np.stack([tree.arrival() for tree in trees.values()])
    built = [
        RoundTable(
            # On a symmetric network what comes to any node comes to this one in another tree.
            tuple(
                np.setdiff1d(arrival if network.symmetric else arrival[:, node], ABSENT).tolist()
            ),
            tuple((port, tuple(choices)) for port, choices in sorted(sends[node].items())),
            round=length,
        )
        for node in trees
    ]
    return _of_tables(network, built, ALL_GATHER)


def compile_routes(routes: Routes) -> RoundProgram:
    """The routers by which every word of an exchange goes the way that it has."""
    network, length = routes.network, routes.steps
    nodes = [0] if routes.translated else range(network.nodes)
    sends: list[dict[int, list[Register | None]]] = [{} for _ in nodes]
    takes: list[dict[int, list[bool]]] = [{} for _ in nodes]
    target = routes.target.tolist()
    for hop in routes.hops:
        node, there = (0, 0) if routes.translated else (hop.sender, hop.receiver)
        choices = sends[node].setdefault(hop.port, [None] * length)
        choices[hop.step - 1] = Register(hop.in_port, hop.age)
        comes = takes[there].setdefault(_arrival(network, hop), [False] * length)
        comes[hop.step - 1] = hop.receiver == target[hop.route]
    built = [
        RoundTable(
            tuple(sorted(comes)),
            tuple((port, tuple(choices)) for port, choices in sorted(sent.items())),
            tuple(tuple(comes[port]) for port in sorted(comes)),
            round=length,
        )
        for sent, comes in zip(sends, takes, strict=True)
    ]
    return _of_tables(network, built, routes.exchange)


def _arrival(network: Network, hop: Hop) -> int:
    """The in-port by which a hop comes."""
    return int(network.arrival[hop.sender, hop.port])


def _of_tables(network: Network, built: list[RoundTable], exchange: Exchange) -> RoundProgram:
    """The program of the tables of all nodes, or of one where all nodes do the same."""
    numbers = {table: number for number, table in enumerate(dict.fromkeys(built))}
    table = np.array([numbers[each] for each in built], dtype=np.int32)
    table = np.broadcast_to(table, network.nodes)
    return build_rounds(network, tuple(numbers), table, exchange).check()


def build_rounds(
    network: Network,
    tables: tuple[RoundTable, ...],
    table: IntArray,
    exchange: Exchange,
    config: RoundConfig = ROUNDS,
) -> RoundProgram:
    """The program of some tables, which nobody has checked."""
    kind = SumProgram if exchange.adds else RoundProgram
    return kind(network, tables, table, config, exchange)


def _sends_of(tree: Tree) -> Iterator[tuple[int, int, int, Register]]:
    """Sender, out-port, phase and register of each link of a tree."""
    for row, (in_port, age) in zip(rows_of(tree), registers_of(tree), strict=True):
        yield row.sender, row.port, row.step - 1, Register(in_port, age)


def compile_sums(sums: Sums) -> RoundProgram:
    """The routers by which every sum is made, and comes to those that it is for."""
    network, length, loop = sums.network, sums.round, loop_of(sums.network)
    nodes = [0] if sums.translated else range(network.nodes)
    sends: list[dict[int, list[Choice]]] = [{} for _ in nodes]
    takes: list[dict[int, list[bool]]] = [{} for _ in nodes]
    waits: list[dict[int, list[int]]] = [{} for _ in nodes]
    # The first of the words of a sum counts its rounds; each is taken in the step before.
    begins = {
        tree: min((hop.step - 2) // length for hop in sums.hops if hop.tree == tree and hop.up)
        for tree in {hop.tree for hop in sums.hops}
    }
    for hop in sums.hops:
        node, there = (0, 0) if sums.translated else (hop.sender, hop.receiver)
        phase = (hop.step - 1) % length
        port = loop if hop.port == ABSENT else hop.port
        arriving = (
            Register(_entry(network, need), hop.step - need.step) for need in sums.needs(hop)
        )
        own = [Register(OWN, 1)] * hop.up
        choices = sends[node].setdefault(port, [None] * length)
        choices[phase] = (*own, *sorted(arriving))
        comes = takes[there].setdefault(_entry(network, hop), [False] * length)
        comes[phase] = port == loop or not hop.up
        if hop.up:
            lane = waits[node].setdefault(port, [0] * length)
            rounds, taken = divmod(hop.step - 2, length)
            lane[taken] = rounds - begins[hop.tree]
    built = [
        RoundTable(
            tuple(sorted(comes)),
            tuple((port, tuple(choices)) for port, choices in sorted(sent.items())),
            tuple(tuple(comes[port]) for port in sorted(comes)),
            tuple(tuple(wait[port]) for port in sorted(wait)),
            round=length,
        )
        for sent, comes, wait in zip(sends, takes, waits, strict=True)
    ]
    return _of_tables(network, built, sums.exchange)


def _entry(network: Network, hop: SumHop) -> int:
    """The in-port by which a hop comes, which is the loop's where it ends at the root."""
    return loop_of(network) if hop.port == ABSENT else int(network.arrival[hop.sender, hop.port])
