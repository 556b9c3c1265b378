"""Appendix A of the SCC report: local links of cycles, and why antipodes consist of 2-cycles."""

from collections.abc import Iterator
from itertools import pairwise, permutations

from noc.research.papers.routes.printed import best_order, executions
from noc.research.papers.routes.scc import word_length
from noc.research.papers.routes.star import Permutation, cycles
from noc.research.papers.tables.scc.facts import lemma_2
from noc.research.papers.tables.scc.graph import after
from noc.research.papers.tables.table import Row
from noc.trees.switching import halving_stages, star_word

__all__ = ["permutation", "rows"]

# The example for n = 10: three 2-cycles of the antipode, and the two 3-cycles put in their place.
TWO_CYCLES = ((1, 6), (2, 7), (3, 8), (4, 9), (5, 10))
THREE_CYCLES = ((1, 6), (7, 2, 3), (4, 9, 8), (5, 10))


def permutation(n: int, parts: tuple[tuple[int, ...], ...]) -> Permutation:
    """The permutation with these cycles: a symbol's own position holds the next of its cycle.

    >>> permutation(4, ((1, 3, 4),))
    (3, 2, 4, 1)
    """
    q = list(range(1, n + 1))
    for cycle in parts:
        for symbol, following in pairwise((*cycle, cycle[0])):
            q[symbol - 1] = following
    return tuple(q)


def _longest_cycle(n: int, symbols: int, *, with_1: bool) -> int:
    """The most local links that one cycle of so many symbols takes, by trying them all."""
    others = symbols - with_1
    turned = ((2, *rest) for rest in permutations(range(3, n + 1), others - 1))
    lengths = []
    for places in turned:
        (word, *_) = executions((1, *places) if with_1 else places)
        lengths.append(word_length(list(word), n - 1, word[0], word[-1]) - len(word))
    return max(lengths)


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


def _appendix() -> Iterator[Row]:
    for n in range(4, 8):
        for with_1 in (False, True):
            for r in range(2, n + with_1):
                what = f"n = {n}, Appendix A: local links of a cycle of {r} symbols with"
                yield Row(
                    f"{what}{'' if with_1 else 'out'} 1, at most",
                    _most_local_links(n, r, with_1=with_1),
                    _longest_cycle(n, r, with_1=with_1),
                )


def _order_for_8() -> Iterator[Row]:
    """The antipode of SCC 8, and the printed order that executes it."""
    antipode = permutation(8, ((1, 5), (2, 6), (3, 7), (4, 8)))
    word = (5, 6, 2, 6, 7, 3, 7, 8, 4, 8)
    yield Row("n = 8, Appendix A: the antipode's symbols", str(antipode), str(lemma_2(8)))
    left = "".join(map(str, after(antipode, word)))
    yield Row("n = 8, Appendix A: what the order 5-6-2-6-7-3-7-8-4-8 leaves", "12345678", left)
    local = word_length(list(word), 7, word[0], word[-1]) - len(word)
    least = best_order(antipode, word[0], word[-1])
    best = word_length(least, 7, word[0], word[-1]) - len(least)
    yield Row("n = 8, Appendix A: local links of that order, the least of all orders", local, best)
    same = star_word(halving_stages(8)[:1])
    yield Row("n = 8, the order is the n log n network's first stage", str(list(word)), str(same))


def _isolated(n: int, q: Permutation) -> int:
    """Local links inside the cycles alone, each executed as fits it best."""
    return sum(
        min(word_length(list(w), n - 1, w[0], w[-1]) - len(w) for w in executions(cycle))
        for cycle in cycles(q)
    )


def _three_cycles() -> Iterator[Row]:
    """The variation of the links when three 2-cycles give way to two 3-cycles."""
    n, half = 10, 4
    twos, threes = (permutation(n, parts) for parts in (TWO_CYCLES, THREE_CYCLES))
    words = [best_order(q, 6, 2) for q in (twos, threes)]
    lengths = [word_length(word, n - 1, 6, 2) for word in words]
    inside = _isolated(n, threes) - _isolated(n, twos)
    lateral, links = (len(words[1]) - len(words[0]), lengths[1] - lengths[0])
    name = f"n = {n}, Appendix A, 3-cycles for 2-cycles:"
    yield Row(f"{name} lateral links more, Δ_a", -1, lateral)
    yield Row(f"{name} local links more inside of cycles, Δ_b", 2 - 2 * half, inside)
    between = links - lateral - inside
    yield Row(f"{name} between cycles, at most Δ_c", half - 2, between, bound=True)
    yield Row(f"{name} links more, at most Δ", -1 - half, links, bound=True)


def rows() -> list[Row]:
    """All of them."""
    return [*_appendix(), *_order_for_8(), *_three_cycles()]
