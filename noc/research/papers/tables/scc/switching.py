"""What the SCC report states about its switching networks and the sequences made of them."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, pairwise, permutations, product
from math import factorial

import numpy as np

from noc.research.papers.routes.algorithms import ring_distance
from noc.research.papers.tables.scc.broadcasts import (
    PRINTED,
    lateral_nlogn,
    local_nlogn,
    odd_stages,
    settings_reach,
)
from noc.research.papers.tables.table import Row, Rows, build, one_tree, reason, yes
from noc.trees import rings
from noc.trees.rings import Stages, halving_stages, neighbour_stages, ring_word, star_word

TEXT = Rows()

# Positions of the larger network that are kept for other n. The report names none but for n = 6.
KEPT = {
    3: (1, 2, 3),
    5: (1, 3, 5, 7, 8),
    6: (1, 2, 3, 4, 5, 6),
    7: (1, 2, 3, 4, 5, 6, 7),
    9: (1, 3, 5, 7, 9, 11, 13, 15, 16),
}

STAGES = {"switching-nlogn": halving_stages, "switching-n2": neighbour_stages}


def _ports(words: Iterable[int]) -> str:
    return "-".join(map(str, words))


@TEXT.add
def _nlogn_network() -> Iterator[Row]:
    for n in (4, 8, 16):
        stages, log_n, name = halving_stages(n), n.bit_length() - 1, f"n log n network, n = {n}"
        switches = n * log_n - n // 2
        yield Row(f"{name}, stages", 2 * log_n - 1, len(stages))
        yield Row(f"{name}, switches", switches, sum(map(len, stages)))
        steps = len(star_word(stages))
        yield Row(f"{name}, steps on the star, at most", 3 * switches, steps, bound=True)
    first = _ports(star_word(halving_stages(8)[:1]))
    yield Row("n log n network, n = 8, first stage", "5-6-2-6-7-3-7-8-4-8", first)


def rings_reached(stages: Stages, n: int) -> int:
    """The nodes of a star, or rings of SCC, that the laterals of a switching network inform."""
    star = build(f"star:{n}")
    informed = np.arange(star.nodes) == 0
    for d in star_word(stages):
        informed[star.neighbour[informed, d - 2]] = True
    return int(informed.sum())


def kept_stages(kept: tuple[int, ...]) -> Stages:
    """The report's rule for other n: the next power of two's network on some of its positions."""
    stages = halving_stages(2 ** (len(kept) - 1).bit_length())
    new = {position: number for number, position in enumerate(kept, start=1)}
    return [[(new[i], new[j]) for i, j in stage if i in new and j in new] for stage in stages]


@TEXT.add
def _kept_positions() -> Iterator[Row]:
    for n, kept in KEPT.items():
        what = f"n = {n}, rings that the larger network informs on its positions {_ports(kept)}"
        yield Row(what, factorial(n), rings_reached(kept_stages(kept), n))
    counted_from_1 = rings_reached(kept_stages((1, 2, 3, 4, 5, 8)), 6)
    last_two = rings_reached(kept_stages(KEPT[6]), 6)
    why = reason("scc-section-8-1-digits", last_two == factorial(6) > counted_from_1)
    what = "n = 6, rings that the network for 8 informs without digits 6 and 7"
    yield Row(what, factorial(6), counted_from_1, why)
    printed, needed = (6 - 1).bit_length(), max(j for stage in halving_stages(8) for _, j in stage)
    why = reason("scc-section-8-1-size", printed < 6 <= needed == 2**printed)
    yield Row("n = 6, positions of the larger network, ⌈log n⌉", printed, needed, why)


@TEXT.each(PRINTED[1], "n = {}, ")
def _equation_3(n: int) -> Iterator[Row]:
    lateral, local, total = lateral_nlogn(n), local_nlogn(n), PRINTED[1][n][2]
    exact = int(lateral + local)
    why = reason("scc-table-1-total", total == int(lateral) + int(local) == exact - 1)
    yield Row("Table 1, total by Equation 3, cut off", total, exact, why)


@cache
def _length(name: str, n: int) -> int:
    return len(rings.walk(n - 1, ring_word(STAGES[name](n), n - 1)))


@TEXT.each(product(STAGES, range(3, 9)), "{}, n = {}, ")
def _uninformed(name: str, n: int) -> Iterator[Row]:
    step = one_tree(f"scc:{n}", name, "one").step.reshape(-1, n - 1)
    length = _length(name, n)
    rings, last = (step.min(axis=1) <= length).all(), step.max() <= length + n // 2
    what = "nodes that the sequence leaves uninformed"
    yield Row(what, 0, int((step > length).sum()), reason("scc-sequence-ends", rings and last))


@TEXT.each(range(3, 9), "n = {}, ")
def _theorems_4_and_5(n: int) -> Iterator[Row]:
    stages, why = neighbour_stages(n), odd_stages(n) if n % 2 else None
    yield Row("Theorem 4: stages", n - 1, len(stages), why)
    yield Row("Theorem 4: switches", n * (n - 1) // 2, sum(map(len, stages)))
    reached = settings_reach(stages, n)
    yield Row("Theorem 5: permutations that settings sort", factorial(n), reached)


def _printed_order(n: int) -> list[list[int]]:
    """The n²/2 network's laterals, stage by stage, in the report's order for even n."""
    down = [n, *(d for i in range(n - 1, 2, -2) for d in (i, i - 1, i))]
    up = [2, *(d for i in range(3, n, 2) for d in (i, i + 1, i))]
    return [down if stage % 2 else up for stage in range(n - 1)]


@TEXT.add
def _first_stages() -> Iterator[Row]:
    first, second, *_ = neighbour_stages(8)
    why = reason("scc-theorem-7-order", (5, 6) in {*first} - {*second} and (4, 5) in second)
    printed = "2-3-4-3-5-6-5-7-8-7-8-7-6-7-5-6-5-3-2-3"
    word = _ports(d for stage in _printed_order(8)[:2] for d in stage)
    yield Row("n²/2 network, n = 8, first two stages", printed, word, why)


def sorted_by_comparison(n: int, stages: int) -> int:
    """How many permutations some stages sort if switches exchange what is out of order.

    A switch of the n²/2 network puts the smaller symbol at the position above.
    """
    symbols = np.array(list(permutations(range(n))), dtype=np.int8).T
    for stage in neighbour_stages(n)[:stages]:
        for above, below in stage:
            pair = symbols[[above - 1, below - 1]]
            symbols[[above - 1, below - 1]] = np.sort(pair, axis=0)
    return int((symbols == np.arange(n)[:, None]).all(axis=0).sum())


@TEXT.each((4, 6, 8), "n = {}, n²/2 network: ")
def _section_8_2(n: int) -> Iterator[Row]:
    """The condition on the positions of a switch, and the switches; the algorithm that sorts."""
    pairs = combinations(range(1, n + 1), 2)
    printed = [(i, j) for i, j in pairs if (j - i) % (n - 2) == 1 % (n - 2)]
    switches = {pair for stage in neighbour_stages(n) for pair in stage}
    what = "pairs of positions with |p_i-p_j| mod (n-2) = 1"
    yield Row(what, str(sorted(printed)), str(sorted(switches)))
    what = "permutations sorted by exchanging where a_x > a_y"
    yield Row(what, factorial(n), sorted_by_comparison(n, n - 1))


@TEXT.each((4, 6, 8), "n = {}, Theorem 7: ")
def _theorem_7(n: int) -> Iterator[Row]:
    stages, printed = _printed_order(n), (7 * n * n - 19 * n + 12) // 2
    length = len(rings.walk(n - 1, [d - 2 for stage in stages for d in stage]))
    moves = sum(ring_distance(n - 1, a[-1] - 2, b[0] - 2) for a, b in pairwise(stages))
    why = reason("scc-theorem-7-length", printed - length == (n - 1) - moves == 1)
    yield Row("length of the sequence in the printed order", printed, length, why)


@TEXT.each(range(4, 9), "n = {}, ")
def _shorter_than_nlogn(n: int) -> Iterator[Row]:
    n2, nlogn = (_length(f"switching-{name}", n) for name in ("n2", "nlogn"))
    bounds = [PRINTED[number][n][2] for number in (1, 2)]
    why = reason("scc-bound-compared", bounds[1] < bounds[0] and nlogn < bounds[0])
    what = "the n²/2 network's sequence is shorter than the n log n network's"
    yield Row(what, "yes", yes(n2 < nlogn), why)


def mirrored_stages(n: int) -> Stages:
    """The report's other network for a power of two: switches 1 … n/4, n/2, n/4 … 1 apart."""
    widening = [2**k for k in range(n.bit_length() - 1)]
    return [
        [(i, i + apart) for i in range(1, n + 1) if (i - 1) & apart == 0]
        for apart in [*widening, *widening[-2::-1]]
    ]


@TEXT.each((4, 8), "n = {}, ")
def _mirrored_network(n: int) -> Iterator[Row]:
    width, mirrored = n.bit_length() - 1, mirrored_stages(n)
    image = {i: int(f"{i - 1:0{width}b}"[::-1], 2) + 1 for i in range(1, n + 1)}
    reversed_bits = [{frozenset((image[i], image[j])) for i, j in stage} for stage in mirrored]
    same = reversed_bits == [{*map(frozenset, stage)} for stage in halving_stages(n)]
    sorts = settings_reach(mirrored, n) == factorial(n)
    computed = "sorts every permutation" if sorts else "does not"
    what = "the network with wide switches inside"
    yield Row(what, "does not", computed, reason("scc-mirrored", same))
