"""What the tables of the (n,k)-star paper are compared with: runs in the step model."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from math import sqrt

import numpy as np

from noc.model.steps import Outcome
from noc.networks import IntArray, Network, permutations
from noc.networks.permutations import outside_symbols
from noc.research.papers.all_to_all import AllToAll, all_to_all
from noc.research.papers.cost import LinearCost
from noc.research.papers.slices import best_slicing, pipelined, slicings
from noc.research.papers.tables.table import build
from noc.trees import Ports, Tree, TreeFamily
from noc.trees.nk_star import greedy, multiple, rotated_roots

#: The paper gives formulas only; they are compared at these sizes, costs and length, which the
#: titles of its tables name.
INSTANCES = ((4, 2), (4, 3), (5, 2), (5, 3))
COST = LinearCost(start_up=25.0, per_byte=1.0)
MESSAGE = 1200

# Rounds enough for the busiest link and the busiest node to show.
ROUNDS = 4


def diameter(n: int, k: int) -> int:
    """The paper's closed form."""
    return 2 * k - 1 if k <= n // 2 else k + (n - 1) // 2


def dimensions(network: Network) -> IntArray:
    """The dimension of every link, n-1 of them: in each, every node sends and receives once.

    The swaps are one dimension each. The ports that fetch outside symbols in ascending order are
    not, since two of one number may lead to the same node: the nodes that differ in the first
    symbol alone form a clique, whose dimensions are the cyclic shifts of that symbol.
    """
    n, k = (int(parameter) for parameter in network.parameters)
    symbols = permutations.arrangements(n, k)
    dimension = np.empty(network.neighbour.shape, dtype=np.int16)
    dimension[:, : k - 1] = np.arange(k - 1)
    own = (outside_symbols(symbols, n) < symbols[0]).sum(axis=0)
    for index in range(n - k):
        fetched = index + (index >= own)
        dimension[:, k - 1 + index] = k - 2 + (fetched - own) % (n - k + 1)
    return dimension


def rotated_trees(network: Network, root: int, ports: Ports) -> tuple[Tree, ...]:
    """The greedy trees T(R¹)…T(Rⁿ⁻¹), each from a root of its own."""
    return tuple(greedy(network, rotated, ports) for rotated in rotated_roots(network, root))


BUILDERS: dict[str, Callable[[Network, int, Ports], Tree | TreeFamily]] = {
    "greedy": greedy,
    "multiple": multiple,
}


def start_up(steps: float) -> float:
    """The time of some start-ups."""
    return steps * COST.start_up


def transmission(messages: float) -> float:
    """The time of the bytes of some messages."""
    return messages * MESSAGE * COST.per_byte


def pipeline_time(start_ups: float, messages: float) -> float:
    """A + B + 2·sqrt(A·B): the form of Theorems 2, 3, 8 and 9."""
    fixed, moving = start_up(start_ups), transmission(messages)
    return fixed + moving + 2 * sqrt(fixed * moving)


def plain_time(start_ups: float, messages: float) -> float:
    """A + B: the form of Theorems 4, 5, 10 and 11."""
    return start_up(start_ups) + transmission(messages)


@dataclass(frozen=True)
class Instance:
    """One (n,k)-star with the runs that several rows share."""

    n: int
    k: int

    @cached_property
    def network(self) -> Network:
        """The network itself."""
        return build(f"nk-star:{self.n},{self.k}")

    @property
    def name(self) -> str:
        """How the paper writes it."""
        return f"S({self.n},{self.k})"

    @property
    def links(self) -> int:
        """The ports of a node, n - 1."""
        return self.n - 1

    @cached_property
    def diameter(self) -> int:
        """By search; every root sees the same, for symbol relabellings carry one to another."""
        return self.network.eccentricity(0)

    @cached_property
    def family(self) -> TreeFamily:
        """The MT trees from node 0."""
        return multiple(self.network, 0, "all")

    @cache  # noqa: B019 - instances live as long as the program
    def trees(self, algorithm: str, ports: Ports, root: int = 0) -> Tree | TreeFamily:
        """The one tree or the n - 1 trees."""
        return BUILDERS[algorithm](self.network, root, ports)

    @cache  # noqa: B019
    def one_to_all(self, algorithm: str, ports: Ports, segments: int) -> Outcome:
        """A message from node 0, cut into segments."""
        return pipelined(self.trees(algorithm, ports), segments, ports)

    @cache  # noqa: B019
    def best_time(self, algorithm: str, ports: Ports) -> tuple[int, float]:
        """The best p for p(n-1) segments, by trying all, and its time."""
        segments, time = best_slicing(
            lambda count: self.one_to_all(algorithm, ports, count).steps,
            # The highest trees need the most.
            slicings(self.links, 2 * self.diameter, COST, MESSAGE),
            COST,
            MESSAGE,
        )
        return segments // self.links, time

    def busiest_link(self, algorithm: str) -> float:
        """The most that one link carries from one source, in messages."""
        segments = ROUNDS * self.links
        return int(self.one_to_all(algorithm, "all", segments).load.max()) / segments

    def busiest_sender(self, algorithm: str) -> float:
        """The most that one node sends for one source, in messages."""
        segments = ROUNDS * self.links
        return int(self.one_to_all(algorithm, "one", segments).load.sum(axis=1).max()) / segments

    @cache  # noqa: B019
    def all_to_all(self, algorithm: str, ports: Ports, combine: bool = True) -> AllToAll:
        """Every node at once; one-port as the paper does it where packets are combined."""
        sources = [
            self.trees(algorithm, "all" if combine else ports, root)
            for root in range(self.network.nodes)
        ]
        turns = dimensions(self.network) if combine and ports == "one" else None
        return all_to_all(sources, ports, combine=combine, turns=turns)

    def doubling_steps(self) -> int:
        """The fewest one-port steps that inform every node if everybody informed sends."""
        steps, informed = 0, 1
        while informed < self.network.nodes:
            steps, informed = steps + 1, 2 * informed
        return steps

    def loads_within_dimensions(self, algorithm: str) -> bool:
        """Whether in all-to-all use all links of one dimension carry the same."""
        load = self.all_to_all(algorithm, "all").outcome.load
        dimension = dimensions(self.network)
        return all(np.unique(load[dimension == d]).size == 1 for d in range(self.links))


@cache
def instance(n: int, k: int) -> Instance:
    """The one object for an (n,k)-star, so that its runs are done once."""
    return Instance(n, k)
