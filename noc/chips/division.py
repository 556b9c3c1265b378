"""Which nodes of a network lie on which chip."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from noc.chips.trees import build_ways, rate
from noc.errors import InputError, option
from noc.networks import ABSENT, Network
from noc.networks.files import parse_json
from noc.trees.even import Ways

#: How often chips are grown from other nodes.
_ATTEMPTS = 8


@dataclass(frozen=True, eq=False)
class Division:
    """The nodes of each chip."""

    #: The network.
    network: Network
    #: Of each node the number of its chip, from 0 on; each chip has one at least.
    chip: tuple[int, ...] = field(repr=False)

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The nodes of each chip, ascending."""
        result: list[list[int]] = [[] for _ in range(max(self.chip) + 1)]
        for node, chip in enumerate(self.chip):
            result[chip].append(node)
        return tuple(map(tuple, result))

    @property
    def chips(self) -> int:
        """How many there are."""
        return len(self.members)


def divide(network: Network, chips: int, root: int | None = None) -> tuple[Division, Ways]:
    """Chips of nearly equal size, and trees that seldom leave them.

    Nodes whose labels begin or end alike are together, where that makes so many equal chips in
    which every node is reached: substars, subcubes. Other networks are divided by chips that grow
    from nodes far apart, meshes and tori by these or by rows and columns. The best has the smallest
    chips, and then trees in which words leave chips least often, and that are lowest.
    """
    asked = option("chips", chips)
    if not 1 <= chips <= network.nodes:
        raise InputError(f"{asked}: from 1 to {network.nodes}, the nodes of {network.spec}")
    candidates = [Division(network, chip) for chip in _candidates(network, chips)]
    choices = [(division, build_ways(network, division.chip, root)) for division in candidates]

    def rating(choice: tuple[Division, Ways]) -> tuple[int, ...]:
        division, ways = choice
        return max(map(len, division.members)), *rate(ways, division.chip)

    return min(choices, key=rating)


def read_division(network: Network, path: Path) -> Division:
    """The division of a user's JSON file: a list with a list of labels for each chip."""
    where = option("chips", str(path))
    try:
        return _read(network, parse_json(path.read_bytes()))
    except OSError as error:
        raise InputError(f"{where}: {error.strerror or error}") from None
    except InputError as error:
        raise InputError(f"{where}: {error.message}") from None


def _read(network: Network, listed: Any) -> Division:
    lists = [listed, *listed] if isinstance(listed, list) else [None]
    if not all(isinstance(each, list) and each for each in lists):
        raise InputError("a list with a list of labels for each chip is needed")
    chip: dict[int, int] = {}
    for number, labels in enumerate(listed):
        for label in labels:
            if not isinstance(label, str):
                raise InputError(f"{json.dumps(label)} is no label")
            node = network.node(label)
            if node in chip:
                raise InputError(f"{label} is on chip {chip[node]} and on chip {number}")
            chip[node] = number
    for node in range(network.nodes):
        if node not in chip:
            raise InputError(f"{network.label(node)} is on no chip")
    return Division(network, tuple(chip[node] for node in range(network.nodes)))


def _candidates(network: Network, chips: int) -> Iterator[tuple[int, ...]]:
    """Divisions to choose from: by labels, if these do, and else, or on meshes too, grown ones."""
    around = _neighbours(network)
    found = [*dict.fromkeys(_by_labels(network, chips, around))]
    yield from found
    if not found or network.family in ("mesh", "torus"):
        lots = random.Random(chips)
        for attempt in range(_ATTEMPTS):
            seeds = _far_apart(network, chips, attempt * network.nodes // _ATTEMPTS)
            yield _grow(around, seeds, lots)


def _neighbours(network: Network) -> list[list[int]]:
    """Of each node those to which it has a link, or that have one to it."""
    around: list[set[int]] = [set() for _ in range(network.nodes)]
    for node, row in enumerate(network.neighbour.tolist()):
        for other in row:
            if other not in (ABSENT, node):
                around[node].add(other)
                around[other].add(node)
    return [sorted(each) for each in around]


def _by_labels(
    network: Network, chips: int, around: Sequence[Sequence[int]]
) -> Iterator[tuple[int, ...]]:
    """Nodes whose labels begin alike, or end alike."""
    labels = [_symbols(network.label(node)) for node in range(network.nodes)]
    for length in range(min(map(len, labels)) + 1):
        begins = [symbols[:length] for symbols in labels]
        ends = [symbols[len(symbols) - length :] for symbols in labels]
        for alike in (begins, ends):
            groups: dict[tuple[str, ...], int] = {}
            chip = tuple(groups.setdefault(symbols, len(groups)) for symbols in alike)
            sizes = Counter(chip)
            if len(sizes) == chips and len(set(sizes.values())) == 1 and _together(chip, around):
                yield chip


def _symbols(label: str) -> tuple[str, ...]:
    """The symbols of a label, as networks have them: letters, or what is between signs."""
    if re.search(r"[.,]", label):
        return tuple(re.split(r"[.,:]", label))
    return tuple(re.sub(r"\W", "", label))


def _together(chip: Sequence[int], around: Sequence[Sequence[int]]) -> bool:
    """Whether the nodes of each chip are connected among themselves."""
    seen: set[int] = set()
    starts = {number: node for node, number in enumerate(chip)}
    for number, start in starts.items():
        seen |= _reached(start, {node for node, each in enumerate(chip) if each == number}, around)
    return len(seen) == len(chip)


def _reached(start: int, among: set[int], around: Sequence[Sequence[int]]) -> set[int]:
    found, left = {start}, [start]
    while left:
        fresh = {node for node in around[left.pop()] if node in among} - found
        found |= fresh
        left += fresh
    return found


def _grow(
    around: Sequence[Sequence[int]], seeds: Sequence[int], lots: random.Random
) -> tuple[int, ...]:
    """Chips from a node each: the smallest takes the node beside it that has fewest ways out.

    Then large ones give nodes to smaller ones beside them, as long as they stay connected.
    """
    chip, chips = [-1] * len(around), len(seeds)
    for number, seed in enumerate(seeds):
        chip[seed] = number
    edges = [{node for node in around[seed] if chip[node] < 0} for seed in seeds]
    sizes = [1] * chips
    for _ in range(len(around) - chips):
        number = min((n for n in range(chips) if edges[n]), key=lambda n: (sizes[n], n))
        node = min(
            edges[number],
            key=lambda n: (sum(chip[other] < 0 for other in around[n]), lots.random()),
        )
        chip[node] = number
        sizes[number] += 1
        for each in edges:
            each.discard(node)
        edges[number] |= {other for other in around[node] if chip[other] < 0}
    _level(chip, sizes, around)
    return tuple(chip)


def _far_apart(network: Network, chips: int, first: int) -> list[int]:
    """Nodes of which each is as far from those before it as any."""
    seeds, nearest = [first], network.distances(first)
    while len(seeds) < chips:
        seeds.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, network.distances(seeds[-1]))
    return seeds


def _level(chip: list[int], sizes: list[int], around: Sequence[Sequence[int]]) -> None:
    """Move nodes from chips to others beside them that have fewer, by two at least."""
    moved = True
    while moved:
        moved = False
        for node, others in enumerate(around):
            own = chip[node]
            target = min((chip[other] for other in others), key=sizes.__getitem__, default=own)
            if sizes[target] + 1 >= sizes[own]:
                continue
            rest = {n for n, each in enumerate(chip) if each == own} - {node}
            if len(_reached(next(iter(rest)), rest, around)) == len(rest):
                chip[node] = target
                sizes[own] -= 1
                sizes[target] += 1
                moved = True
