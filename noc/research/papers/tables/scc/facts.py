"""What the tables of the SCC report share: networks, diameters, and the reason where one fails."""

from collections.abc import Iterator
from functools import cache
from math import floor

import numpy as np

from noc.research.papers.printed import figures
from noc.research.papers.routes.algorithms import Permutation, best_order, best_word, word_length
from noc.research.papers.tables.table import Reason, Row, build, one_tree, reason
from noc.trees import Ports
from noc.trees.cyclic import rounds

MODELS: tuple[Ports, ...] = ("one", "all")

#: What Tables 1, 2, 3, 5, 6 and 7 all print for SCC: size, diameter, running time.
SCC = figures("scc-6-scc")


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
    return word_length(best_word(lemma_2(n), opposite, 2), n - 1, opposite, 2)


@cache
def diameter_reason(n: int) -> Reason:
    """Why Equation 2 is too large for odd n from 7 up."""
    k, q = (n - 1) // 2, lemma_2(n)
    in_order, nested = (word_length(f(q, 2, 2), n - 1, 2, 2) for f in (best_order, best_word))
    links = 2 * k * k + 4 * k
    too_long = max(nested, links) < in_order == equation_2(n)
    holds = too_long and farthest(n) == links == diameter(f"scc:{n}")
    return reason("scc-equation-2", holds, nested=nested, links=links)


def size_rows(n: int) -> Iterator[Row]:
    """The two columns that every table repeats."""
    (size, printed, _), spec = SCC[n], f"scc:{n}"
    yield Row(f"n = {n}, size", size, build(spec).nodes)
    yield Row(f"n = {n}, diameter", printed, diameter(spec), diameter_reason(n))


def cyclic_rows(name: str, spec: str, ports: Ports, printed: tuple[int, ...]) -> Iterator[Row]:
    """Lateral, local and all steps of Algorithm 4 or 5, and those in which somebody receives."""
    tree = one_tree(spec, "cyclic", ports)
    plan = rounds(tree.network, ports)
    busy = np.unique(tree.step[tree.step > 0])
    busy_local = int(np.count_nonzero(busy % plan.length))
    lateral, local, total = printed
    yield Row(f"{name}, lateral steps", lateral, plan.count)
    yield Row(f"{name}, lateral steps that inform a node", lateral, busy.size - busy_local)
    yield Row(f"{name}, local steps", local, plan.count * plan.locals)
    yield Row(f"{name}, local steps that inform a node", local, busy_local, bound=True)
    yield Row(f"{name}, total steps of the schedule", total, plan.steps)
    yield Row(f"{name}, step of the last receipt", total, tree.steps)


def percent(steps: int, distance: int, printed: str) -> float:
    """How far steps exceed a distance; a whole number where a whole number is printed."""
    exact = 100 * (steps - distance) / distance
    return exact if "." in printed else floor(exact + 0.5)


def distance_row(
    what: str, n: int, printed: str, steps: int, *, printed_steps: int, bound: bool = False
) -> Row:
    """A relative distance to the diameter of SCC, with the reason where the figure is wrong."""
    searched, stated = diameter(f"scc:{n}"), SCC[n][1]
    exact, unit = 100 * (printed_steps / stated - 1), 10 ** len(printed.partition(".")[2])
    why = reason("cut-off", floor(exact * unit) == round(float(printed) * unit))
    if searched != stated:
        follows = Row("", printed, percent(printed_steps, stated, printed)).agrees or why.holds
        holds = follows and diameter_reason(n).holds
        why = reason("scc-printed-diameter", holds, printed=stated, searched=searched)
    return Row(f"n = {n}, {what}", printed, percent(steps, searched, printed), why, bound=bound)
