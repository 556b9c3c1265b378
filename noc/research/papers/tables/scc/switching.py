"""What the SCC report states about its switching networks and the sequences made of them."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, pairwise, permutations
from math import factorial

import numpy as np

from noc.research.papers.routes import ring
from noc.research.papers.tables.scc.broadcast import (
    TABLE_1,
    TABLE_2,
    lateral_nlogn,
    local_nlogn,
    odd_stages,
    settings_reach,
)
from noc.research.papers.tables.table import Reason, Row, build, explained, misprint, one_tree
from noc.trees import sequences
from noc.trees.switching import (
    Stages,
    halving_stages,
    neighbour_stages,
    ring_word,
    star_word,
)

__all__ = ["kept_stages", "mirrored_stages", "rings_reached", "rows", "sorted_by_comparison"]

# Positions of the larger network that are kept for other n. The report names none but for n = 6.
KEPT = {
    3: (1, 2, 3),
    5: (1, 3, 5, 7, 8),
    6: (1, 2, 3, 4, 5, 6),
    7: (1, 2, 3, 4, 5, 6, 7),
    9: (1, 3, 5, 7, 9, 11, 13, 15, 16),
}


def _ports(words: Iterable[int]) -> str:
    return "-".join(map(str, words))


def _nlogn_network() -> Iterator[Row]:
    for n in (4, 8, 16):
        stages, log_n = halving_stages(n), n.bit_length() - 1
        yield Row(f"n log n network, n = {n}, stages", 2 * log_n - 1, len(stages))
        switches = n * log_n - n // 2
        yield Row(f"n log n network, n = {n}, switches", switches, sum(map(len, stages)))
        what = f"n log n network, n = {n}, steps on the star, at most"
        yield Row(what, 3 * switches, len(star_word(stages)), bound=True)
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
    place = {position: new for new, position in enumerate(kept, start=1)}
    return [
        [(place[i], place[j]) for i, j in stage if i in place and j in place] for stage in stages
    ]


def _kept_positions() -> Iterator[Row]:
    for n, kept in KEPT.items():
        what = f"n = {n}, rings that the larger network informs on its positions {_ports(kept)}"
        yield Row(what, factorial(n), rings_reached(kept_stages(kept), n))
    counted_from_1 = rings_reached(kept_stages((1, 2, 3, 4, 5, 8)), 6)
    last_two = rings_reached(kept_stages(KEPT[6]), 6)
    why = misprint("scc-section-8-1-digits", last_two == factorial(6) > counted_from_1)
    what = "n = 6, rings that the network for 8 informs without digits 6 and 7"
    yield Row(what, factorial(6), counted_from_1, why)
    printed, needed = (6 - 1).bit_length(), max(j for stage in halving_stages(8) for _, j in stage)
    why = misprint("scc-section-8-1-size", printed < 6 <= needed == 2**printed)
    yield Row("n = 6, positions of the larger network, ⌈log n⌉", printed, needed, why)


@cache
def _length(name: str, n: int) -> int:
    stages = halving_stages(n) if name == "switching-nlogn" else neighbour_stages(n)
    return len(sequences.walk(n - 1, ring_word(stages, n - 1)))


def _uninformed() -> Iterator[Row]:
    for name in ("switching-nlogn", "switching-n2"):
        for n in range(3, 9):
            step = one_tree(f"scc:{n}", name, "one").step.reshape(-1, n - 1)
            length = _length(name, n)
            why = misprint(
                "scc-sequence-ends",
                bool((step.min(axis=1) <= length).all() and step.max() <= length + n // 2),
            )
            what = f"{name}, n = {n}, nodes that the sequence leaves uninformed"
            yield explained(Row(what, 0, int((step > length).sum())), why)


def mirrored_stages(n: int) -> Stages:
    """The report's other network for a power of two: switches 1 … n/4, n/2, n/4 … 1 apart."""
    widening = [2**k for k in range(n.bit_length() - 1)]
    return [
        [(i, i + apart) for i in range(1, n + 1) if (i - 1) & apart == 0]
        for apart in [*widening, *widening[-2::-1]]
    ]


def _bits_reversed(stages: Stages, n: int) -> set[tuple[int, tuple[int, int]]]:
    width = n.bit_length() - 1

    def place(i: int) -> int:
        return int(f"{i - 1:0{width}b}"[::-1], 2) + 1

    return {
        (k, (min(place(i), place(j)), max(place(i), place(j))))
        for k, stage in enumerate(stages)
        for i, j in stage
    }


def _mirrored_network() -> Iterator[Row]:
    for n in (4, 8):
        reached, stages = settings_reach(mirrored_stages(n), n), halving_stages(n)
        same = {(k, switch) for k, stage in enumerate(stages) for switch in stage}
        why = Reason(
            "with the bits of the positions in reverse order it is the n log n network itself",
            _bits_reversed(mirrored_stages(n), n) == same,
        )
        computed = "sorts every permutation" if reached == factorial(n) else "does not"
        yield explained(
            Row(f"n = {n}, the network with wide switches inside", "does not", computed), why
        )


def _n2_network() -> Iterator[Row]:
    for n in range(3, 9):
        stages = neighbour_stages(n)
        why = odd_stages(n) if n % 2 else None
        yield explained(Row(f"n = {n}, Theorem 4: stages", n - 1, len(stages)), why)
        switches = sum(map(len, stages))
        yield Row(f"n = {n}, Theorem 4: switches", n * (n - 1) // 2, switches)
        what = f"n = {n}, Theorem 5: permutations that settings sort"
        yield Row(what, factorial(n), settings_reach(stages, n))
    word = [d for stage in _printed_order(8)[:2] for d in stage]
    stages = neighbour_stages(8)
    in_place = (5, 6) in stages[0] and (5, 6) not in stages[1] and (4, 5) in stages[1]
    why = misprint("scc-theorem-7-order", in_place)
    printed = "2-3-4-3-5-6-5-7-8-7-8-7-6-7-5-6-5-3-2-3"
    yield Row("n²/2 network, n = 8, first two stages", printed, _ports(word), why)


def _switched_positions() -> Iterator[Row]:
    """Section 8.2's condition on the positions of a switch, beside the switches that there are."""
    for n in (4, 6, 8):
        pairs = combinations(range(1, n + 1), 2)
        printed = {(i, j) for i, j in pairs if (j - i) % (n - 2) == 1 % (n - 2)}
        switches = {pair for stage in neighbour_stages(n) for pair in stage}
        what = f"n = {n}, n²/2 network: pairs of positions with |p_i-p_j| mod (n-2) = 1"
        yield Row(what, str(sorted(printed)), str(sorted(switches)))


def _network_beats_network() -> Iterator[Row]:
    for n in range(4, 9):
        better = _length("switching-n2", n) < _length("switching-nlogn", n)
        why = Reason(
            "an exact count is compared with a bound that the n log n network stays far below",
            TABLE_2[n][2] < TABLE_1[n][2] and _length("switching-nlogn", n) < TABLE_1[n][2],
        )
        what = f"n = {n}, the n²/2 network's sequence is shorter than the n log n network's"
        yield explained(Row(what, "yes", "yes" if better else "no"), why)


def sorted_by_comparison(n: int, stages: int) -> int:
    """How many permutations so many stages sort if switches exchange what is out of order.

    A switch of the n²/2 network puts the smaller symbol at the position above.
    """
    symbols = np.array(list(permutations(range(n))), dtype=np.int8).T
    for stage in neighbour_stages(n)[:stages]:
        for above, below in stage:
            pair = symbols[[above - 1, below - 1]]
            symbols[[above - 1, below - 1]] = np.sort(pair, axis=0)
    return int((symbols == np.arange(n)[:, None]).all(axis=0).sum())


def _compare_exchange() -> Iterator[Row]:
    for n in (4, 6, 8):
        what = f"n = {n}, n²/2 network: permutations sorted by exchanging where a_x > a_y"
        yield Row(what, factorial(n), sorted_by_comparison(n, n - 1))


def _printed_order(n: int) -> list[list[int]]:
    """The n²/2 network's laterals, stage by stage, in the report's order for even n."""
    down = [n, *(d for i in range(n - 1, 2, -2) for d in (i, i - 1, i))]
    up = [2, *(d for i in range(3, n, 2) for d in (i, i + 1, i))]
    return [down if stage % 2 else up for stage in range(n - 1)]


def _theorem_7() -> Iterator[Row]:
    for n in (4, 6, 8):
        stages = _printed_order(n)
        word = [d - 2 for stage in stages for d in stage]
        length = len(sequences.walk(n - 1, word))
        printed = (7 * n * n - 19 * n + 12) // 2
        between = sum(
            ring.distance(n - 1, here[-1] - 2, there[0] - 2) for here, there in pairwise(stages)
        )
        why = misprint("scc-theorem-7-length", printed - length == (n - 1) - between == 1)
        what = f"n = {n}, Theorem 7: length of the sequence in the printed order"
        yield Row(what, printed, length, why)


def _equation_3() -> Iterator[Row]:
    for n, (_, _, total, _) in TABLE_1.items():
        exact = lateral_nlogn(n) + local_nlogn(n)
        cut = int(lateral_nlogn(n)) + int(local_nlogn(n))
        why = misprint("scc-table-1-total", total == cut == int(exact) - 1)
        yield explained(
            Row(f"n = {n}, Table 1, total by Equation 3, cut off", total, int(exact)), why
        )


def rows() -> list[Row]:
    """All of them, in the order of the report."""
    parts = (
        _nlogn_network,
        _kept_positions,
        _equation_3,
        _uninformed,
        _n2_network,
        _switched_positions,
        _compare_exchange,
        _theorem_7,
        _network_beats_network,
        _mirrored_network,
    )
    return [row for part in parts for row in part()]
