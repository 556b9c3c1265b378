"""What the tables of the SCC report share: networks, diameters, and the reason where one fails."""

from functools import cache
from math import floor

import numpy as np

from noc.research.papers.printed import figures
from noc.research.papers.routes.printed import best_order
from noc.research.papers.routes.scc import best_word, word_length
from noc.research.papers.routes.star import Permutation
from noc.research.papers.tables.table import Reason, Row, build, explained, one_tree
from noc.trees import Ports
from noc.trees.cyclic import rounds

__all__ = [
    "DIAMETERS",
    "SCC",
    "SIZES",
    "cyclic_rows",
    "diameter",
    "diameter_reason",
    "distance_row",
    "equation_2",
    "farthest",
    "lemma_2",
    "percent",
    "size_rows",
    "star_diameter",
]

#: What Tables 1, 2, 3, 5, 6 and 7 all print for SCC.
SCC = figures("scc-6-scc")
SIZES = {n: size for n, (size, _, _) in SCC.items()}
DIAMETERS = {n: reach for n, (_, reach, _) in SCC.items()}


@cache
def diameter(spec: str) -> int:
    """The diameter of a star, cube, SCC or CCC: they are symmetric, so one search is enough."""
    return build(spec).eccentricity(0)


def star_diameter(n: int) -> int:
    """The diameter of a star, as the report has it everywhere but in Section 2."""
    return 3 * (n - 1) // 2


def equation_2(n: int) -> int:
    """Theorem 1's diameter of SCC, with its exception."""
    if n == 3:
        return 6
    return 2 * ((n - 1) // 2) ** 2 + star_diameter(n) + 2 * (n // 2) - 2


def lemma_2(n: int) -> Permutation:
    """The permutation of Lemma 2: as many swaps of opposite ring positions as there can be."""
    half, first = (n // 2, 1) if n % 2 == 0 else ((n - 1) // 2, 2)
    q = list(range(1, n + 1))
    for low in range(first, first + half):
        q[low - 1], q[low + half - 1] = low + half, low
    return tuple(q)


def farthest(n: int) -> int:
    """Links from Lemma 2's permutation, entered opposite to 2, to node (2, 12…n); for odd n."""
    opposite = (n + 3) // 2
    q = lemma_2(n)
    return word_length(best_word(q, opposite, 2), n - 1, opposite, 2)


@cache
def diameter_reason(n: int) -> Reason:
    """Why Equation 2 is too large for odd n from 7 up."""
    k, q = (n - 1) // 2, lemma_2(n)
    in_order = word_length(best_order(q, 2, 2), n - 1, 2, 2)
    nested = word_length(best_word(q, 2, 2), n - 1, 2, 2)
    return Reason(
        f"Equation 2 executes one cycle after the other; nested, Lemma 2's antipode is {nested} "
        f"away, and the farthest node, I_a opposite to 2, is 2k² + 4k = {2 * k * k + 4 * k} away "
        "with k = (n-1)/2: for odd n the last two terms are k - 2 too many",
        nested < in_order == equation_2(n)
        and farthest(n) == 2 * k * k + 4 * k == diameter(f"scc:{n}"),
    )


def size_rows(n: int) -> list[Row]:
    """The two columns that every table repeats."""
    spec = f"scc:{n}"
    diameter_row = Row(f"n = {n}, diameter", DIAMETERS[n], diameter(spec))
    return [
        Row(f"n = {n}, size", SIZES[n], build(spec).nodes),
        explained(diameter_row, diameter_reason(n) if n % 2 else None),
    ]


def cyclic_rows(name: str, spec: str, ports: Ports, printed: tuple[int, int, int]) -> list[Row]:
    """Lateral, local and all steps of Algorithm 4 or 5, and those in which somebody receives."""
    broadcast = one_tree(spec, "cyclic", ports)
    plan = rounds(broadcast.network, ports)
    busy = np.unique(broadcast.step[broadcast.step > 0])
    busy_local = int(np.count_nonzero(busy % plan.length))
    lateral, local, total = printed
    return [
        Row(f"{name}, lateral steps", lateral, plan.count),
        Row(f"{name}, lateral steps that inform a node", lateral, busy.size - busy_local),
        Row(f"{name}, local steps", local, plan.count * plan.locals),
        Row(f"{name}, local steps that inform a node", local, busy_local, bound=True),
        Row(f"{name}, total steps of the schedule", total, plan.steps),
        Row(f"{name}, step of the last receipt", total, broadcast.steps),
    ]


def percent(steps: int, distance: int, printed: str) -> float:
    """How far steps exceed a distance; a whole number where a whole number is printed."""
    exact = 100 * (steps - distance) / distance
    return exact if "." in printed else floor(exact + 0.5)


def distance_row(
    what: str, n: int, printed: str, steps: int, *, printed_steps: int, bound: bool = False
) -> Row:
    """A relative distance to the diameter of SCC, with the reason where the figure is wrong."""
    computed = percent(steps, diameter(f"scc:{n}"), printed)
    row = Row(f"n = {n}, {what}", printed, computed, bound=bound)
    exact, unit = 100 * (printed_steps / DIAMETERS[n] - 1), 10 ** len(printed.partition(".")[2])
    cut_off = floor(exact * unit) == round(float(printed) * unit)
    cut = Reason("cut off after the last digit, not rounded", cut_off)
    if diameter(f"scc:{n}") == DIAMETERS[n]:
        return explained(row, cut)
    with_printed = percent(printed_steps, DIAMETERS[n], printed)
    follows = Row("", printed, with_printed).agrees or cut.holds
    text = f"it follows from the printed diameter {DIAMETERS[n]}, which is {diameter(f'scc:{n}')}"
    return explained(row, Reason(text, follows and diameter_reason(n).holds))
