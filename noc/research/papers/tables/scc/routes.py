"""What the SCC report states about routes: cycles, Algorithm 3, diameters, Appendix A."""

from collections.abc import Iterable, Iterator
from itertools import chain, permutations

import networkx as nx

from noc.research.papers.routes.algorithms import (
    Permutation,
    best_order,
    best_word,
    cycles,
    distance,
    executions,
    one_at_a_time_routes,
    permutation,
    swap,
    tree_search,
    word_length,
)
from noc.research.papers.tables.scc.graph import (
    diameter,
    diameter_reason,
    equation_2,
    farthest,
    lemma_2,
    undirected,
)
from noc.research.papers.tables.table import Row, Rows, build, reason
from noc.trees.rings import halving_stages, star_word

TEXT = Rows()

#: The permutation of Figure 4, (1 5)(2 3 6)(4 7)(8): each symbol's own position holds the next
#: symbol of its cycle; and the order of laterals that the report gives.
EXAMPLE: Permutation = (5, 3, 6, 7, 1, 2, 4, 8)
EXAMPLE_WORD = (5, 6, 3, 2, 6, 7, 4, 7)

# The example for n = 10: three 2-cycles of the antipode, and the two 3-cycles put instead.
TWO_CYCLES = ((1, 6), (2, 7), (3, 8), (4, 9), (5, 10))
THREE_CYCLES = ((1, 6), (7, 2, 3), (4, 9, 8), (5, 10))


def _after(q: Permutation, word: Iterable[int]) -> Permutation:
    """The permutation that a word of laterals leads to."""
    for lateral in word:
        q = swap(q, lateral)
    return q


def _local(word: Iterable[int], ring: int) -> int:
    """The local links between the laterals of a word."""
    laterals = list(word)
    return word_length(laterals, ring, laterals[0], laterals[-1]) - len(laterals)


@TEXT.add
def _ascending_cycles() -> Iterator[Row]:
    """The report writes the symbols of a cycle as d1 < d2 < … < dr."""
    n, unlike, unsorted = 4, 0, 0
    for q in permutations(range(1, n + 1)):
        ascending = [tuple(sorted(cycle)) for cycle in cycles(q)]
        unlike += ascending != cycles(q)
        word = chain.from_iterable(executions(cycle)[0] for cycle in ascending)
        unsorted += _after(q, word) != tuple(range(1, n + 1))
    # By laterals that take them ascending, those and no others are not sorted.
    why = reason("scc-cycles-ascending", unsorted == unlike)
    yield Row(f"n = {n}, permutations with a cycle that is not in ascending order", 0, unlike, why)


def optimal_routes(q: Permutation) -> int:
    """How many shortest routes a star has from a permutation to the sorted one."""
    left = distance(q)
    if left == 0:
        return 1
    nearer = (swap(q, d) for d in range(2, len(q) + 1))
    return sum(optimal_routes(other) for other in nearer if distance(other) < left)


@TEXT.add
def _star_routes() -> Iterator[Row]:
    example, short = (2, 6, 5, 4, 3, 1, 8, 7), (2, 1, 4, 5, 3)
    yield Row("cycles of 26543187", "(1, 2, 6) (3, 5) (7, 8)", " ".join(map(str, cycles(example))))
    yield Row("21453, optimal routes T_p", 6, optimal_routes(short))
    printed, routes = one_at_a_time_routes(example), optimal_routes(example)
    as_many = optimal_routes(short) == one_at_a_time_routes(short)
    why = reason("scc-routes", routes > printed and as_many)
    yield Row("26543187, optimal routes T_p", printed, routes, why)


@TEXT.add
def _algorithm_3() -> Iterator[Row]:
    def links(word: list[int], q: Permutation = EXAMPLE, start: int = 5, end: int = 6) -> int:
        return word_length(word, len(q) - 1, start, end)

    word, best = tree_search(EXAMPLE, 5, 6)[0], links(best_word(EXAMPLE, 5, 6))
    ends = ["".join(map(str, _after(EXAMPLE, w))) for w in (EXAMPLE_WORD, word)]
    why = reason("scc-figure-4", ends == ["16245378", "12345678"])
    printed = str(EXAMPLE_WORD)[1:-1]
    yield Row("Figure 4: order of the laterals", printed, str(word)[1:-1], why)
    why = reason("scc-figure-4-nested", links(best_order(EXAMPLE, 5, 6)) == best + 2)
    yield Row("Figure 4: links of this 'optimal' order", links(word), best, why)
    for n in range(3, 7):
        too_long = in_order = 0
        for q in permutations(range(1, n + 1)):
            for start in range(2, n + 1):
                least = links(best_word(q, start, 2), q, start, 2)
                too_long += links(tree_search(q, start, 2)[0], q, start, 2) > least
                in_order += links(best_order(q, start, 2), q, start, 2) > least
        why = reason("scc-algorithm-3", too_long == in_order)
        what = f"n = {n}, sources from which Algorithm 3's route to node 0 is not the shortest"
        yield Row(what, 0, too_long, why)


@TEXT.add
def _theorem_1() -> Iterator[Row]:
    searched = {n: diameter("star:2" if n == 2 else f"scc:{n}") for n in range(2, 10)}
    for n, links in searched.items():
        why = diameter_reason(n) if n % 2 else None
        yield Row(f"n = {n}, Theorem 1: diameter", equation_2(n), links, why)
    # Of c n² the second difference is 8 c, two sizes apart: odd and even ones grow alike.
    growth = {(searched[n] - 2 * searched[n - 2] + searched[n - 4]) / 8 for n in (8, 9)}
    yield Row("Theorem 2: growth of the diameter, times n²", "0.5", " and ".join(map(str, growth)))


@TEXT.each(range(3, 10), "n = {}, Lemma 2: ")
def _lemma_2(n: int) -> Iterator[Row]:
    away = word_length(best_word(lemma_2(n), 2, 2), n - 1, 2, 2)
    holds = n % 2 == 1 and farthest(n) == diameter(f"scc:{n}")
    why = reason("scc-lemma-2", holds, opposite=(n + 3) // 2)
    yield Row("distance of the antipode, the diameter being", diameter(f"scc:{n}"), away, why)


@TEXT.each(range(3, 11), "CCC, n = {}, ")
def _ccc_diameter(n: int) -> Iterator[Row]:
    printed, searched, why = 2 * n + n // 2 - 2, diameter(f"ccc:{n}"), None
    if n == 3:
        why = reason("scc-ccc-3", nx.diameter(undirected(build("ccc:3"))) == searched == 6)
    yield Row("diameter", printed, searched, why)


def _longest_cycle(n: int, symbols: int, *, with_1: bool) -> int:
    """The most local links that one cycle of this many symbols takes, by trying them all."""
    others = symbols - with_1
    turned = ((2, *rest) for rest in permutations(range(3, n + 1), others - 1))
    return max(_local(executions((1, *q) if with_1 else q)[0], n - 1) for q in turned)


def _most_local_links(n: int, r: int, *, with_1: bool) -> int:
    """Appendix A's formulas for the same."""
    half = (n - 1) // 2
    if with_1:
        return (r - 2) * half - (0 if n % 2 == 0 else (r - 2) // 2)
    if r == 2:
        return 2 * half
    if r % 2:
        return (r - 1) * half + (0 if n % 2 else (r - 1) // 2)
    return r * half - (r - 1) // 2 * (1 if n % 2 == 0 else 2)


@TEXT.each(range(4, 8), "n = {}, Appendix A: ")
def _appendix_a(n: int) -> Iterator[Row]:
    for with_1 in (False, True):
        for r in range(2, n + with_1):
            what = f"local links of a cycle of {r} symbols with"
            printed, longest = (
                most(n, r, with_1=with_1) for most in (_most_local_links, _longest_cycle)
            )
            yield Row(f"{what}{'' if with_1 else 'out'} 1, at most", printed, longest)


@TEXT.add
def _order_for_8() -> Iterator[Row]:
    """The antipode of SCC 8, and the printed order that executes it."""
    antipode = permutation(8, ((1, 5), (2, 6), (3, 7), (4, 8)))
    word = [5, 6, 2, 6, 7, 3, 7, 8, 4, 8]
    yield Row("n = 8, Appendix A: the antipode's symbols", str(antipode), str(lemma_2(8)))
    left = "".join(map(str, _after(antipode, word)))
    yield Row("n = 8, Appendix A: what the order 5-6-2-6-7-3-7-8-4-8 leaves", "12345678", left)
    least = best_order(antipode, word[0], word[-1])
    best = word_length(least, 7, word[0], word[-1]) - len(least)
    what = "n = 8, Appendix A: local links of that order, the least of all orders"
    yield Row(what, _local(word, 7), best)
    same = star_word(halving_stages(8)[:1])
    yield Row("n = 8, the order is the n log n network's first stage", str(word), str(same))


@TEXT.add
def _three_cycles() -> Iterator[Row]:
    """The variation of the links when three 2-cycles give way to two 3-cycles."""
    n, half = 10, 4
    pair = [permutation(n, parts) for parts in (TWO_CYCLES, THREE_CYCLES)]
    words = [best_order(q, 6, 2) for q in pair]
    before, after = (word_length(word, n - 1, 6, 2) for word in words)
    # Inside the cycles alone, each is executed as fits it best.
    inside = [
        sum(min(_local(word, n - 1) for word in executions(cycle)) for cycle in cycles(q))
        for q in pair
    ]
    lateral, links, within = len(words[1]) - len(words[0]), after - before, inside[1] - inside[0]
    name = f"n = {n}, Appendix A, 3-cycles for 2-cycles:"
    yield Row(f"{name} lateral links more, Δ_a", -1, lateral)
    yield Row(f"{name} local links more inside of cycles, Δ_b", 2 - 2 * half, within)
    between = links - lateral - within
    yield Row(f"{name} between cycles, at most Δ_c", half - 2, between, bound=True)
    yield Row(f"{name} links more, at most Δ", -1 - half, links, bound=True)
