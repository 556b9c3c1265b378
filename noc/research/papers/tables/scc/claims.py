"""What the SCC report states about broadcasts outside its tables: theorems, counts, claims."""

from collections.abc import Iterator
from itertools import pairwise, permutations

import numpy as np

from noc.model.steps.words import LOST
from noc.networks import ABSENT, IntArray, Network
from noc.networks.cycles import LATERAL, LEFT, RIGHT
from noc.research.papers.rounds import pipelined_rounds
from noc.research.papers.routes.printed import best_order, executions
from noc.research.papers.routes.scc import word_length
from noc.research.papers.routes.star import Permutation, cycles
from noc.research.papers.tables.scc.compare import running_time, star_one_port
from noc.research.papers.tables.scc.facts import diameter, diameter_reason, lemma_2, percent
from noc.research.papers.tables.scc.graph import after
from noc.research.papers.tables.table import Reason, Row, build, explained, misprint, one_tree
from noc.trees import Ports
from noc.trees.cyclic import parallel_moves, rounds, sequential_moves
from noc.trees.switching import halving_stages, star_word

__all__ = [
    "appendix_rows",
    "both_local_links",
    "joined_steps",
    "multiport_rows",
    "permutation",
    "rows",
]

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


def appendix_rows() -> list[Row]:
    """All of them."""
    return [*_appendix(), *_order_for_8(), *_three_cycles()]


#: Each node sends by all of these ports in a step: everybody, or those at one ring position.
Sends = tuple[tuple[int, ...], int | None]


def both_local_links(network: Network) -> IntArray:
    """The step in which each node receives if local steps use both links, on every ring at once.

    Lateral and local steps alternate, as in the one-port sequence; node 0 begins.
    """
    first, *others = _word(network)
    steps: list[Sends] = [((LATERAL,), first)]
    for place in others:
        steps += [((RIGHT, LEFT), None), ((LATERAL,), place)]
    return _receipts(network, steps)


def joined_steps(network: Network) -> IntArray:
    """The same if a lateral and the local link to the next position are used in one step."""
    return _receipts(network, [((LATERAL, RIGHT), place) for place in _word(network)])


def _word(network: Network) -> list[int]:
    """The ring positions whose laterals are used, in turn, over and over."""
    plan = rounds(network, "one")
    return [*range(plan.ring)] * plan.count


def _receipts(network: Network, steps: list[Sends]) -> IntArray:
    """Play the steps; all sends of a step are decided before the first is received."""
    ring = int(network.parameters[0]) - 1
    received = np.full(network.nodes, LOST, dtype=np.int32)
    received[0] = 0
    for step, (ports, place) in enumerate(steps, start=1):
        senders = np.flatnonzero(received != LOST)
        if place is not None:
            senders = senders[senders % ring == place]
        there = network.neighbour[senders][:, list(ports)].ravel()
        there = there[there != ABSENT]
        received[there[received[there] == LOST]] = step
    return received


def multiport_rows() -> list[Row]:
    """What comes of either approach, for the sizes that the report draws."""
    return [row for n in (4, 5, 6) for row in _rows(n)]


def _rows(n: int) -> Iterator[Row]:
    net = build(f"scc:{n}")
    one_port = one_tree(net.spec, "cyclic-sequential", "one").step
    both, joined = both_local_links(net), joined_steps(net)
    name = f"n = {n}, Section 9.1, "
    yield Row(f"{name}nodes informed with both local links", net.nodes, int((both != LOST).sum()))
    earlier = bool((both <= one_port).all() and both.max() < one_port.max())
    why = misprint("scc-section-9-1", earlier)
    what = f"{name}last receipt with both local links, the one-port sequence's"
    yield Row(what, int(one_port.max()), int(both.max()), why)
    reached = int((joined != LOST).sum())
    what = f"{name}joined lateral and local steps, {reached} of {net.nodes} nodes informed"
    yield Row(what, "fails", "fails" if reached < net.nodes else "informs all")


MODELS: tuple[Ports, ...] = ("one", "all")

# Messages in the pipelines that are run.
MESSAGES = 4


def _cyclic_sequences() -> Iterator[Row]:
    for n in range(3, 9):
        plan = rounds(build(f"scc:{n}"), "one")
        for name, moves, length in (
            ("σ-seq(C)", sequential_moves(plan, 0), 2 * (n - 1) * plan.count - 1),
            ("σ-par(C)", parallel_moves(plan), (n - 1) * plan.count),
        ):
            algorithm = "cyclic-sequential" if name == "σ-seq(C)" else "cyclic-parallel"
            steps = one_tree(f"scc:{n}", algorithm, "one").steps
            yield Row(f"n = {n}, {name}, steps of the sequence", length, len(moves))
            yield Row(f"n = {n}, {name}, last receipt", length, steps, bound=True)


def _rounds() -> Iterator[Row]:
    for n in range(3, 9):
        for family, ports, length, count in (
            ("scc", MODELS[0], (n + 2) // 2, 3 * (n - 1) // 2),
            ("scc", MODELS[1], (n + 1) // 2, 3 * (n - 1) // 2),
            ("ccc", MODELS[0], (n + 3) // 2, n),
            ("ccc", MODELS[1], (n + 2) // 2, n),
        ):
            spec, name = f"{family}:{n}", f"{family}, n = {n}, {ports}-port"
            steps = one_tree(spec, "cyclic", ports).steps
            yield Row(f"{name} cyclic broadcast, steps", length * count, steps)
            locals_each = rounds(build(spec), ports).locals
            yield Row(f"{name}, Theorem 11: local rate over lateral rate", length - 1, locals_each)


def _pipelines() -> Iterator[Row]:
    for n in range(3, 7):
        for ports in MODELS:
            net, name = build(f"scc:{n}"), f"n = {n}, {ports}-port, {MESSAGES} messages"
            run = pipelined_rounds(net, 0, ports, MESSAGES)
            # The report's floor encloses the whole count of rounds; B is whole, so it does not
            # matter that the floor of 3(n-1)/2 alone is meant.
            per_round = (n + 2) // 2 if ports == "one" else (n + 1) // 2
            printed = per_round * int(MESSAGES - 1 + 3 * (n - 1) / 2)
            yield Row(f"{name}, steps", printed, run.schedule)
            yield Row(f"{name}, last receipt", printed, run.steps)
            received = int((run.received != LOST).sum())
            yield Row(f"{name}, first receipts", MESSAGES * net.nodes, received)
            two = Reason(
                "on a ring of two the local loop runs once, so that no node is ever done with "
                "its local sends and old messages are sent again beside the new",
                rounds(net, ports).locals == 1 and net.degree == 2,
            )
            yield explained(Row(f"{name}, sends beyond the model", 0, run.clashes), two)
            counting = Reason(
                "nodes that number messages by counting receipts would take each of these copies "
                "for the next message; with numbers in the messages every node gets each",
                received == MESSAGES * net.nodes,
            )
            what = f"{name}, second copies that reach a node still waiting for a message"
            yield explained(Row(what, 0, run.stray_copies), counting)


def _distances() -> Iterator[Row]:
    def most(ports: Ports, sizes: tuple[int, ...]) -> float:
        steps = {n: one_tree(f"scc:{n}", "cyclic", ports).steps for n in sizes}
        return max(percent(steps[n], diameter(f"scc:{n}"), "0.0") for n in sizes)

    why = Reason(
        "with the diameter 30 of SCC 7 in place of 31 its 36 steps are 20 % more",
        diameter_reason(7).holds and diameter("scc:7") == 30,
    )
    for what, printed, computed in (
        ("all-port, n = 4…8, greatest distance", "17.6", most("all", (4, 5, 6, 7, 8))),
        ("one-port, n = 5 and 7, greatest distance", "16.1", most("one", (5, 7))),
        ("one-port, n = 4…8, greatest distance", "50", most("one", (4, 5, 6, 7, 8))),
    ):
        yield explained(Row(what, printed, computed), why)


def _against_star() -> Iterator[Row]:
    for n in range(4, 9):
        what = f"n = {n}, one-port running time, at most the star's"
        yield Row(what, star_one_port(n), running_time(f"scc:{n}", "one"), bound=True)
        on_star = one_tree(f"star:{n}", "balanced", "all").steps
        what = f"n = {n}, all-port running time, in broadcasts on the star"
        yield Row(what, 2, running_time(f"scc:{n}", "all") / on_star)
    for n in range(4, 9):
        computed = one_tree(f"star:{n}", "fewest-steps", "one").check()
        why = Reason(
            "not optimal: a verified schedule, found by search, takes fewer one-port steps",
            computed.steps < star_one_port(n),
        )
        what = f"star, n = {n}, 'optimal' one-port broadcast of reference 15, steps"
        yield explained(Row(what, star_one_port(n), computed.steps), why)


def _against_ccc() -> Iterator[Row]:
    """Section 12's "better performance" than a CCC of similar size, and its average distance."""
    for n, cube in ((4, 4), (5, 6), (6, 9)):
        ours, theirs = f"scc:{n}", f"ccc:{cube}"
        times = running_time(ours, "one"), running_time(theirs, "one")
        why = Reason(
            "as quick, and not quicker: as many lateral steps, of which the diameters of the star "
            "and of the cube are the number",
            times[0] == times[1] == 2 * build(f"star:{n}").diameter() == 2 * cube,
        )
        what = f"SCC, n = {n}, one-port running time, less than that of CCC, n = {cube}"
        yield explained(Row(what, "yes", _yes(times[0] < times[1])), why)
        means = [build(spec).distances(0).mean() for spec in (ours, theirs)]
        why = Reason(
            f"expected in print and not derived: the mean distances are {means[0]:.2f} and "
            f"{means[1]:.2f}",
            bool(means[0] > means[1]),
        )
        what = f"SCC, n = {n}, average distance, favourable against CCC, n = {cube}"
        yield explained(Row(what, "yes", _yes(bool(means[0] < means[1]))), why)


def _per_node() -> Iterator[Row]:
    """Section 11's ratio of all-port running time to size, SCC's less than the star's."""
    for n in range(3, 7):
        ours, star = build(f"scc:{n}"), build(f"star:{n}")
        steps = one_tree(f"star:{n}", "shortest", "all").steps
        mine, theirs = running_time(f"scc:{n}", "all") * star.nodes, steps * ours.nodes
        why = Reason("equal for n = 3: twice the time on twice the nodes", mine == theirs)
        row = Row(
            f"n = {n}, all-port time by size, less than the star's", "yes", _yes(mine < theirs)
        )
        yield explained(row, why)


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def rows() -> list[Row]:
    """All of them, in the order of the report."""
    parts = (
        _cyclic_sequences,
        _rounds,
        _pipelines,
        _distances,
        _against_star,
        _against_ccc,
        _per_node,
    )
    return [row for part in parts for row in part()]
