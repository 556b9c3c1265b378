"""What the arrangement graph paper says of its broadcast: Figures 2 and 3, lemmas, theorems."""

from fractions import Fraction
from itertools import permutations, takewhile
from math import factorial, perm

import numpy as np

from noc.networks import ABSENT, IntArray, Network, build_network
from noc.networks.choice import outside_symbols
from noc.networks.permutations import Symbols, arrangements
from noc.research.papers.tables.table import PaperTable, Reason, Row, misprint, one_tree
from noc.trees import Tree
from noc.trees.arrangement import INTERMEDIATE, Header, Request, decide, out_port, revised
from noc.trees.tree import NO_PARENT

__all__ = [
    "MEMBERS",
    "TABLES",
    "bound",
    "broadcast",
    "ceil_log2",
    "entries",
    "graph_rows",
    "phase_1_steps",
    "phase_2_steps",
    "rows",
]

MEMBERS = ((4, 2), (5, 2), (5, 3), (5, 4), (6, 3), (6, 4), (7, 4))


def column(text: str) -> Symbols:
    """The symbols of one label."""
    return np.array([[int(symbol)] for symbol in text], dtype=np.uint8)


def text_of(symbols: Symbols) -> str:
    """The label of one column."""
    return "".join(str(symbol) for symbol in symbols[:, 0])


def graph_rows() -> list[Row]:
    """Definitions 1 to 5, Figure 1, degree, diameter and sizes."""
    result = [row for n, k in MEMBERS for row in _counts(n, k)]
    return [*result, *_figure_1(), *_operators(), *_stars()]


def _counts(n: int, k: int) -> list[Row]:
    net = build_network(f"arrangement:{n},{k}")
    name = f"A({n},{k})"
    degrees = set((net.neighbour != ABSENT).sum(axis=1).tolist())
    symbols = arrangements(n, k)
    fixed = {
        int((symbols == symbol).sum(axis=1)[i]) for symbol in range(1, n + 1) for i in range(k)
    }
    return [
        Row(f"{name}, nodes n!/(n-k)!", perm(n, k), net.nodes),
        Row(f"{name}, degree k(n-k) of every node", f"{k * (n - k)}", _one(degrees)),
        Row(f"{name}, diameter ⌊3k/2⌋", 3 * k // 2, net.diameter()),
        Row(
            f"{name}, nodes with a given symbol in a given position, (n-1)!/(n-k)!",
            f"{factorial(n - 1) // factorial(n - k)}",
            _one(fixed),
        ),
    ]


def _one(values: set[int]) -> str:
    """The value that all share; all of them if they differ."""
    return " ".join(str(value) for value in sorted(values))


def _figure_1() -> list[Row]:
    second = arrangements(4, 2)[1]
    sizes = np.unique(second, return_counts=True)[1]
    complete = build_network("arrangement:5,1")
    return [
        Row("Figure 1: parts of A(4,2) by the symbol in position 2", 4, sizes.size),
        Row("Figure 1: nodes of each part", "3", _one(set(sizes.tolist()))),
        Row("Theorem 2: A(n,1), here n = 5, is complete: degree", 4, complete.degree),
    ]


def _operators() -> list[Row]:
    outside = text_of(outside_symbols(column("245"), 5))
    orders = " ".join(a + b for a, b in permutations(outside))
    return [
        Row("after Definition 2: the labels p_out of 245 in A(5,3)", "13 31", orders),
        Row("after Definition 3: 123(45) g_15", "523", _after("123", "45", 1, 5)),
        Row("after Definition 3: 123(54) g_15", "423", _after("123", "54", 1, 5)),
        Row(
            "after Definition 5: 123(45) leads into the subgraph Elect_4 of level 2, first symbols",
            "14",
            _after("123", "45", 2, 4)[:2],
        ),
    ]


def _after(label: str, p_out: str, position: int, place: int) -> str:
    """The node that operator ``g_ij`` leads to."""
    net = build_network(f"arrangement:{len(label + p_out)},{len(label)}")
    port = int(out_port(column(p_out), position, place - len(label))[0])
    return net.label(int(net.neighbour[net.node(label), port]))


def _stars() -> list[Row]:
    """A(n,n-1) under the map that puts the one missing symbol in front."""
    result = []
    for n in (3, 4, 5):
        part, star = build_network(f"arrangement:{n},{n - 1}"), build_network(f"star:{n}")
        there = [_in_star(part, star, node) for node in range(part.nodes)]
        kept = sum(
            star.neighbour[there[node], port] == there[part.neighbour[node, port]]
            for node in range(part.nodes)
            for port in range(part.ports)
        )
        what = f"Section 1: the {n}-star is A({n},{n - 1}): links in common, both directions"
        result.append(Row(what, star.arcs, int(kept)))
    return result


def _in_star(part: Network, star: Network, node: int) -> int:
    label = part.label(node)
    (missing,) = set(star.label(0)) - set(label)
    return star.node(missing + label)


# Lemma 4 is measured on level 0: level l of A(n,k) is level 0 of A(n-l,k-l).
LEMMA_4 = tuple((n, k) for n in range(3, 9) for k in range(1, n))
DEEP = 8

#: The paper's p(i) of 1234(567) in A(7,4).
SERVERS = {2: "1437", 3: "1274", 4: "1237"}


def broadcast(n: int, k: int) -> Tree:
    """The broadcast from 12…k with the other symbols in ascending order."""
    return one_tree(f"arrangement:{n},{k}", "distributed", "one")


def rows() -> list[Row]:
    """All counts, examples and bounds of Section 3."""
    result = [*_figure_2(), *_figure_3(), *_phase_1_doubles(), *_phase_3()]
    for n, k in LEMMA_4:
        result += _lemma_4(n, k)
    result += [_lemma_4_equation(k) for k in range(3, DEEP + 1)]
    return result + [row for n, k in MEMBERS for row in _theorem_3(n, k)]


def ceil_log2(value: Fraction) -> int:
    """⌈lg value⌉ of a positive value, exactly."""
    power = 0
    while 2**power < value:
        power += 1
    while Fraction(2) ** (power - 1) >= value:
        power -= 1
    return power


def entries(built: Tree) -> IntArray:
    """The nodes that receive from another subgraph of level 1, by their first symbols."""
    n, k = _sizes(built)
    first = arrangements(n, k)[0]
    child = np.flatnonzero(built.parent != NO_PARENT)
    entering = child[first[child] != first[built.parent[child]]]
    return np.asarray(entering[np.argsort(first[entering])])


def phase_1_steps(built: Tree) -> int:
    """L1: until the subgraphs 2…k, whose symbols the source 12…k holds, have all been entered."""
    k = _sizes(built)[1]
    return int(built.step[entries(built)[: k - 1]].max(initial=0))


def phase_2_steps(built: Tree) -> int:
    """L2: the steps in which the source itself sends into other subgraphs."""
    return int((built.parent[entries(built)] == built.root).sum())


def _sizes(built: Tree) -> tuple[int, int]:
    n, k = built.network.parameters
    return int(n), int(k)


def bound(n: int, k: int) -> tuple[int, int]:
    """Lemma 4's bounds on L1 and L2 for level 0; for n = 2 its lg 0 stands for one send."""
    return 2 + ceil_log2(Fraction(k)), 2 + ceil_log2(Fraction(n - 2, k)) if n > 2 else 1


def _with_p_out(built: Tree, label: str) -> str:
    """A node with the ``p_out`` that the requests on the way give it, as in 1437(562)."""
    path = [built.network.node(label)]
    while path[-1] != built.root:
        path.append(int(built.parent[path[-1]]))
    n, k = _sizes(built)
    p_out = column("".join(str(symbol) for symbol in range(k + 1, n + 1)))
    for node in reversed(path[:-1]):
        p_out = revised(p_out, column(built.network.label(node)))
    return f"{label}({text_of(p_out)})"


def _below(built: Tree, label: str) -> list[str]:
    """The labels of all nodes that receive through a node."""
    result, level = [], [built.network.node(label)]
    while level:
        level = np.flatnonzero(np.isin(built.parent, level)).tolist()
        result += [built.network.label(node) for node in level]
    return result


def _served(built: Tree, label: str, level: int) -> str:
    """The subgraphs one level down, in its own of ``level``, that a node informs."""
    inside = [below for below in _below(built, label) if below[:level] == label[:level]]
    return " ".join(sorted({below[: level + 1] for below in inside} - {label[: level + 1]}))


def _figure_2() -> list[Row]:
    built = broadcast(7, 4)
    labels = [built.network.label(node) for node in range(built.network.nodes)]
    result = [
        Row(f"Figure 2: subgraphs of level {level} in one of level {level - 1}", 8 - level, parts)
        for level in range(1, 5)
        for parts in [len({t[:level] for t in labels if t[: level - 1] == "1234"[: level - 1]})]
    ]
    for i, printed, served in (
        (2, "1437(562)", "13 15 16 17"),
        (3, "1274(563)", "124 125 126"),
        (4, "1237(564)", "1235 1236"),
    ):
        label = printed[:4]
        result.append(Row(f"Figure 2: p({i}) of 1234(567)", printed, _with_p_out(built, label)))
        what = f"Figure 2: subgraphs of level {i} that p({i}) serves"
        result.append(Row(what, served, _served(built, label, i - 1)))
    what = "Section 3: level on which p(2) = 1437 and the source are in different subgraphs"
    parting = _shared("1437", "1234") + 1
    why = misprint("arrangement-section-3-level", parting == len("14"))
    return [*result, Row(what, 1, parting, why)]


def _shared(first: str, second: str) -> int:
    """How many symbols two labels begin with in common: both are in that level's subgraph."""
    pairs = zip(first, second, strict=True)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _figure_3() -> list[Row]:
    built = broadcast(5, 2)
    net, children = built.network, np.flatnonzero(built.parent == built.network.node("15")).tolist()
    own = [net.label(child) for child in children if net.label(child)[0] == "1"]
    shown = " ".join(_with_p_out(built, label) for label in own)
    return [
        Row("Figure 3: steps from 12(345)", 6, built.steps),
        Row("Figure 3: the intermediate node of 12(345)", "15(342)", _with_p_out(built, "15")),
        Row("Figure 3: 15(342) sends in subgraph 1 only to", "13(542) 14(352)", shown),
        Row(
            "Figure 3: messages, none redundant",
            net.nodes - 1,
            int((built.parent != NO_PARENT).sum()),
        ),
    ]


def _phase_1_doubles() -> list[Row]:
    """The message's holders among the source and p(2)…p(k), which enter the subgraphs 2…k."""
    built = broadcast(DEEP + 1, DEEP)
    received = built.step[built.parent[entries(built)[: DEEP - 1]]]
    return [
        Row(
            f"Phase 1, A({DEEP + 1},{DEEP}): holders after step m = {m}, 2^m",
            2**m,
            1 + int((received <= m).sum()),
        )
        for m in range(1, 4)
    ]


def _phase_3() -> list[Row]:
    request = Request(column("345"), Header(0, 2, 1, INTERMEDIATE))
    levels = {send.header.level for send in decide(request, column("15"))[1] if send.position == 2}
    why = misprint(
        "arrangement-phase-3-level",
        _shared("15", "12") == 1 and _served(broadcast(5, 2), "15", 1) == "13 14",
    )
    return [
        Row("Phase 3: level of the subgraph that p(I) serves, I = 2", 2, max(levels), why),
        _phase_3_loop(),
        _phase_3_comment(),
        _redundancy(),
        _theorem_2(),
        _phase_2_call(),
    ]


def _phase_3_comment() -> Row:
    """The comment that opens Phase 3 names the p(i) that broadcast in a subgraph."""
    built = broadcast(7, 4)
    k = _sizes(built)[1]
    last = max(i for i, label in SERVERS.items() if _served(built, label, i - 1))
    why = misprint("arrangement-phase-3-comment", last == k)
    return Row("Phase 3, A(7,4): greatest i of a p(i) that serves a subgraph", k - 1, last, why)


def _redundancy() -> Row:
    """The sentence after Lemma 3: whether two of the p(i) serve the same nodes."""
    built = broadcast(7, 4)
    served = [
        symbols for i, label in SERVERS.items() for symbols in _served(built, label, i - 1).split()
    ]
    once = not any(a.startswith(b) for a, b in permutations(served, 2))
    why = misprint("arrangement-phase-3-redundancy", once)
    result = "without" if once else "with"
    return Row("after Lemma 3: broadcast with or without message redundancy", "with", result, why)


def _theorem_2() -> Row:
    """The levels of k = 4 for which the induction, which goes from l+1 to l, proves something."""
    k = 4

    def proved(highest: int) -> int:
        levels = {k, k - 1}
        for above in range(highest, 0, -1):
            levels |= {above - 1} if above in levels else set()
        return len(levels)

    why = misprint("arrangement-theorem-2", proved(k - 1) == k + 1)
    return Row("Theorem 2, k = 4: levels that the induction reaches", k + 1, proved(k - 2), why)


def _phase_3_loop() -> Row:
    """The last loop of Phase 3 in A(7,4), for I = k: it ends when i is more than n-1."""
    n, k = 7, 4

    def places(level: int) -> list[int]:
        """Its i in pass after pass, while k-l is what it is."""
        return [k + 1 + (2 ** (m - 1) - 1) * (k - level) for m in range(1, DEEP)]

    ends = max(places(k)) > n - 1
    why = misprint(
        "arrangement-phase-3-loop", len(set(places(k))) == 1 and max(places(k - 1)) > n - 1
    )
    what = "Phase 3, A(7,4), l := I = k: the loop until i > n-1"
    return Row(what, "ends", "ends" if ends else "does not end", why)


def _phase_2_call() -> Row:
    """What a spreader hands on to itself one level down, shown in A(4,2), where both have k."""
    net, label = build_network("arrangement:4,2"), "31"
    p_out = text_of(outside_symbols(column(label), 4))
    reached = {_exchanged(label, given, 1) for given in (label, p_out)}
    valid = {net.label(int(there)) for there in net.neighbour[net.node(label)]}
    why = misprint("arrangement-phase-2-call", len(reached & valid) == 1)
    result = p_out if _exchanged(label, p_out, 1) in valid else label
    return Row("Phase 2, the call that ends it: p_out that 31 of A(4,2) passes", label, result, why)


def _exchanged(label: str, given: str, position: int) -> str:
    """The label after its symbol at a position gave way to the last of the given ones."""
    return label[: position - 1] + given[-1] + label[position:]


def _lemma_4(n: int, k: int) -> list[Row]:
    built, name = broadcast(n, k), f"Lemma 4, n-l = {n}, k-l = {k}"
    entering = entries(built)
    inner = np.unique(built.parent[entering[: k - 1]])
    symbols = arrangements(n, k)[0][entering].tolist()
    most_1, most_2 = bound(n, k)
    first_steps, second_steps = phase_1_steps(built), phase_2_steps(built)
    return [
        Row(f"{name}: intermediate nodes, k-l-1", k - 1, inner.size),
        Row(f"{name}: subgraphs entered, n-l-1", n - 1, len(set(symbols))),
        Row(f"{name}: entries into them, one each", n - 1, len(symbols)),
        Row(f"{name}: L1 ≤ 2 + ⌈lg(k-l)⌉", most_1, first_steps, bound=True),
        Row(f"{name}: L2 ≤ 2 + ⌈lg (n-l-2)/(k-l)⌉", most_2, second_steps, bound=True),
        Row(
            f"{name}: L = L1 + L2, step of the last entry",
            first_steps + second_steps,
            int(built.step[entering].max()),
            bound=True,
        ),
    ]


def _lemma_4_equation(k: int) -> Row:
    printed = max(1 + ceil_log2(Fraction(k - 1)), 2 + ceil_log2(Fraction(k - 2)))
    measured = phase_1_steps(broadcast(k + 1, k))
    why = Reason(
        "the last to hear sends once more, and the greatest whole m with 2^(m-1) ≤ x is "
        "1 + ⌊lg x⌋: L1 = 2 + ⌊lg(k-l-1)⌋",
        measured == 1 + (k - 1).bit_length(),
    )
    what = f"Lemma 4, k-l = {k}: L1 = max(1 + ⌈lg(k-l-1)⌉, 2 + ⌈lg(k-l-2)⌉)"
    return Row(what, printed, measured, None if printed == measured else why)


def _theorem_3(n: int, k: int) -> list[Row]:
    built, name = broadcast(n, k), f"Theorem 3, A({n},{k})"
    messages = int((built.parent != NO_PARENT).sum())
    most = sum(sum(bound(n - level, k - level)) for level in range(k))
    return [
        Row(f"{name}: messages n!/(n-k)! - 1", perm(n, k) - 1, messages),
        Row(f"{name}: steps, at most the sum of Lemma 4's bounds", most, built.steps, bound=True),
        Row(f"{name}: steps at least ⌈lg N⌉ (Theorem 1)", "yes", _yes(built)),
    ]


def _yes(built: Tree) -> str:
    return "yes" if 2**built.steps >= built.network.nodes else "no"


# The paper's own tables 1 to 3 name nodes and parameters and hold no figures.
TABLES: tuple[PaperTable, ...] = (
    PaperTable(
        name="arrangement-text",
        paper="arrangement",
        title="counts, worked examples and bounds of the text, Figures 1 to 3",
        compute=lambda: [*graph_rows(), *rows()],
    ),
)
