"""Times of the (n,k)-star paper: Tables 1 and 2, and the theorems that they rest on.

The tables hold O(…) expressions. Each is evaluated as it is, without a hidden constant, for
``INSTANCES`` at ``COST`` and ``MESSAGE`` and compared with a run in the step model. Times of
algorithms are upper bounds; what is sent over the busiest link or by the busiest node is not.
Y.S. Chen's algorithm is quoted from a paper that we do not have: of its figures only those that
the copy shows can be set against the lower bounds of Lemma 1.
"""

from collections.abc import Callable, Iterator
from math import factorial, isclose, log2, sqrt

import numpy as np

from noc.research.papers.tables.nk_star.runs import (
    COST,
    INSTANCES,
    MESSAGE,
    Instance,
    instance,
    pipeline_time,
    plain_time,
    start_up,
    transmission,
)
from noc.research.papers.tables.table import Reason, Row, Rows, reason
from noc.trees import Ports
from noc.trees.tree import NO_PARENT

TABLE_1, TABLE_2, TEXT = Rows(), Rows(), Rows()

CHEN = "Y.S. Chen, {} (quoted; at least Lemma 1's bound)"
ILLEGIBLE = "Y.S. Chen, {} (quoted; illegible in the copy)"


def _timed(
    what: str, printed: float, computed: float, why: Reason | None = None, *, bound: bool = False
) -> Row:
    """A row of two times, to one decimal."""
    return Row(what, f"{printed:.1f}", round(computed, 1), why, bound=bound, formula=True)


def _only_link(case: Instance) -> Reason:
    """All-port use of one tree."""
    floor = COST.least_time(case.diameter, MESSAGE)
    printed = pipeline_time(case.diameter - 1, 1 / case.links)
    holds = case.busiest_link("greedy") == 1 and floor > printed
    return reason("nk-star-only-link", holds, floor=floor)


def _shared_links(case: Instance) -> Reason:
    """All-port use of MT trees."""
    shared = case.family.congestion
    without = COST.least_time(case.family.height, MESSAGE / case.links)
    as_heavy = isclose(case.busiest_link("multiple") * case.links, shared)
    fits = without <= pipeline_time(2 * case.diameter - 1, 1 / case.links) + 1e-6
    return reason("nk-star-shared-links", shared > 1 and as_heavy and fits, trees=shared)


def _root_sends(case: Instance) -> Reason:
    """One-port use of one tree."""
    links, load = case.links, case.one_to_all("greedy", "one", case.links).load
    least = transmission(links)
    holds = load[0].sum() == links**2 and least > pipeline_time(links * (case.diameter - 1), 1)
    return reason("nk-star-root-sends", holds, least=least)


def _busy_sender(case: Instance) -> Reason:
    """One-port use of MT trees."""
    parents = np.concatenate([tree.parent for tree in case.family.trees])
    most = int(np.bincount(parents[parents != NO_PARENT]).max())
    start_ups = case.links * (2 * case.diameter - 1)
    corrected = pipeline_time(start_ups, most / case.links)
    holds = most > case.links and case.best_time("multiple", "one")[1] <= corrected
    return reason("nk-star-busy-sender", holds, children=most, time=corrected)


def _uneven(case: Instance, algorithm: str, ports: Ports) -> Reason:
    """Transmission in all-to-all use."""
    if ports == "one":
        within = case.loads_within_dimensions
        return reason("nk-star-uneven-within", not within(algorithm) and within("greedy"))
    result = case.all_to_all(algorithm, "all")
    mean = float(result.outcome.load.mean()) / result.segments
    busiest = int(result.outcome.load.max()) / result.segments
    holds = isclose(mean, (case.network.nodes - 1) / case.links) and busiest > mean
    return reason("nk-star-uneven-dimensions", holds, mean=mean, busiest=busiest)


def _optimal(case: Instance, ports: Ports, messages: float) -> Iterator[Row]:
    """Lower bounds; ``messages`` is the transmission in whole messages."""
    printed, floor, why = float(case.diameter), float(case.network.eccentricity(0)), None
    # A node takes in as many messages, over its one port or over all of them.
    sent = transmission(messages)
    if ports == "one":
        # The tables' logarithm is of one less than the number of nodes, and not rounded.
        nodes, steps = case.network.nodes, case.doubling_steps()
        printed, floor = max(printed, log2(nodes - 1)), max(floor, steps)
        why = reason("nk-star-logarithm", steps == (nodes - 1).bit_length())
    else:
        sent = transmission(messages * case.links / case.network.degree)
    yield _timed("optimal, start-up", start_up(printed), start_up(floor), why)
    yield _timed("optimal, transmission", transmission(messages), sent)
    overall = max(start_up(printed), transmission(messages))
    yield _timed("optimal, overall", overall, max(start_up(floor), sent), why)


@TABLE_1.each(INSTANCES, "S({},{}), all-port, ")
def _one_to_all_all_port(n: int, k: int) -> Iterator[Row]:
    case = instance(n, k)
    links, diameter, nodes = case.links, case.diameter, case.network.nodes
    yield from _optimal(case, "all", 1 / links)
    bound = (start_up(diameter), transmission(1 / links))
    quoted = (start_up(2 * diameter - 1), transmission(4 / links))
    yield _timed(CHEN.format("start-up"), quoted[0], bound[0], bound=True)
    yield _timed(CHEN.format("transmission"), quoted[1], bound[1], bound=True)
    yield _timed(CHEN.format("overall"), sum(quoted), max(bound), bound=True)
    why, first = _only_link(case), case.one_to_all("greedy", "all", 1).steps
    yield _timed("one tree, start-up", start_up(diameter), start_up(first))
    busiest = transmission(case.busiest_link("greedy"))
    yield _timed("one tree, transmission", transmission(1 / links), busiest, why)
    # The table has D start-ups where Theorem 2 has D-1.
    printed = pipeline_time(diameter - 1, 1 / links) + COST.start_up
    best = case.best_time("greedy", "all")[1]
    yield _timed("one tree, overall", printed, best, why, bound=True)
    share, shared = case.busiest_link("multiple"), case.family.congestion
    why = reason("nk-star-pasted", isclose(share * links, shared) and shared < nodes - 1)
    printed, first = start_up(2 * diameter - 1), case.family.height - 1
    yield _timed("MT trees, start-up", printed, start_up(first), bound=True)
    all_to_all = (nodes - 1) / links
    yield _timed("MT trees, transmission", transmission(all_to_all), transmission(share), why)
    best = case.best_time("multiple", "all")[1]
    yield _timed("MT trees, overall", plain_time(2 * diameter - 1, all_to_all), best, why)


@TABLE_1.each(INSTANCES, "S({},{}), one-port, ")
def _one_to_all_one_port(n: int, k: int) -> Iterator[Row]:
    case = instance(n, k)
    links, diameter = case.links, case.diameter
    yield from _optimal(case, "one", 1)
    quoted = 2 + (n - k + 2) * factorial(n - k - 1) / factorial(n)
    yield Row(ILLEGIBLE.format("start-up"), None, None)
    yield _timed(CHEN.format("transmission"), transmission(quoted), transmission(1), bound=True)
    yield Row(ILLEGIBLE.format("overall"), None, None)
    for algorithm, name, start_ups, whole, why in (
        ("greedy", "one tree", n * diameter, diameter - 1, _root_sends(case)),
        ("multiple", "MT trees", links * (2 * diameter - 1), 2 * diameter - 1, _busy_sender(case)),
    ):
        segments = 1 if algorithm == "greedy" else links
        first = case.one_to_all(algorithm, "one", segments).steps
        yield _timed(f"{name}, start-up", start_up(start_ups), start_up(first), bound=True)
        busiest = transmission(case.busiest_sender(algorithm))
        yield _timed(f"{name}, transmission", transmission(1), busiest, why)
        printed, best = pipeline_time(links * whole, 1), case.best_time(algorithm, "one")[1]
        yield _timed(f"{name}, overall", printed, best, why, bound=True)


@TABLE_2.each(
    ((ports, *size) for ports in ("all", "one") for size in INSTANCES), "S({1},{2}), {0}-port, "
)
def _all_to_all(ports: Ports, n: int, k: int) -> Iterator[Row]:
    case = instance(n, k)
    messages, turns, diameter = case.network.nodes - 1.0, case.links, case.diameter
    one_tree = n * turns * diameter
    if ports == "all":
        messages, turns, one_tree = messages / case.links, 1, diameter
    yield from _optimal(case, ports, messages)
    height = case.family.height
    combined = case.all_to_all("multiple", "all").steps
    whole = reason("nk-star-whole-height", combined == height == 2 * diameter, levels=height)
    for algorithm, name, start, late in (
        ("greedy", "one tree", one_tree, None),
        ("multiple", "MT trees", turns * (2 * diameter - 1), whole),
    ):
        result, loads = case.all_to_all(algorithm, ports), _uneven(case, algorithm, ports)
        yield _timed(f"{name}, start-up", start_up(start), start_up(result.steps), late, bound=True)
        sent = transmission(result.messages)
        yield _timed(f"{name}, transmission", transmission(messages), sent, loads)
        printed, taken = plain_time(start, messages), result.time(COST, MESSAGE)
        yield _timed(f"{name}, overall", printed, taken, loads if loads.holds else late, bound=True)


@TEXT.each(INSTANCES, "S({},{}), ")
def _one_to_all_theorems(n: int, k: int) -> Iterator[Row]:
    """The formula for p, and Theorems 2, 3, 8, 9 with the best p by search."""
    case = instance(n, k)
    links, far = case.links, case.diameter
    for name, height in (("one tree", far), ("MT trees of height 2D", 2 * far)):
        ideal = sqrt((height - 1) * transmission(1 / links) / COST.start_up)
        what = f"all-port, {name}: best p by the formula, rounded"
        yield Row(what, round(ideal), COST.best_segments(height, MESSAGE / links))
    theorems: tuple[tuple[int, str, Ports, int, Callable[[Instance], Reason]], ...] = (
        (2, "greedy", "all", far - 1, _only_link),
        (3, "greedy", "one", far - 1, _root_sends),
        (8, "multiple", "all", 2 * far - 1, _shared_links),
        (9, "multiple", "one", 2 * far - 1, _busy_sender),
    )
    for theorem, algorithm, ports, start_ups, why in theorems:
        p, time = case.best_time(algorithm, ports)
        turns, messages = (1, 1 / links) if ports == "all" else (links, 1)
        what, printed = f"Theorem {theorem} (best p by search: {p})", turns * start_ups
        time_printed = pipeline_time(printed, messages)
        yield _timed(what, time_printed, time, why(case), bound=True)


@TEXT.each(INSTANCES, "S({},{}), ")
def _all_to_all_theorems(n: int, k: int) -> Iterator[Row]:
    """Theorems 4, 5, 10, 11; 4 and 5 also with nothing combined."""
    case = instance(n, k)
    links, far, others = case.links, case.diameter, case.network.nodes - 1

    def time(algorithm: str, ports: Ports, combine: bool = True) -> float:
        return case.all_to_all(algorithm, ports, combine).time(COST, MESSAGE)

    printed = plain_time(far, others / links)
    uneven = _uneven(case, "greedy", "all")
    yield _timed("Theorem 4", printed, time("greedy", "all"), uneven, bound=True)
    load = case.all_to_all("greedy", "all", False).outcome.load
    busiest, word = int(load.max()), COST.hop_time(MESSAGE)
    why = reason("nk-star-start-up-a-word", busiest * word > printed, start_ups=busiest)
    taken = time("greedy", "all", False)
    yield _timed("Theorem 4, nothing combined", printed, taken, why, bound=True)

    printed = plain_time(n * links * far, others)
    yield _timed("Theorem 5", printed, time("greedy", "one"), bound=True)
    single = case.all_to_all("greedy", "one", False)
    sends = single.outcome.load.sum(axis=1)
    holds = bool((sends == others).all()) and others * word <= printed
    why = reason("nk-star-idle-ports", holds, words=others, steps=single.steps)
    taken = time("greedy", "one", False)
    yield _timed("Theorem 5, nothing combined", printed, taken, why, bound=True)

    uneven, taken = _uneven(case, "multiple", "all"), time("multiple", "all")
    yield _timed("Theorem 10", plain_time(2 * far - 1, others / links), taken, uneven, bound=True)
    printed, taken = plain_time(links * (2 * far - 1), others), time("multiple", "one")
    yield _timed("Theorem 11", printed, taken, _uneven(case, "multiple", "one"), bound=True)


@TEXT.each(INSTANCES, "S({},{}), ")
def _counts(n: int, k: int) -> Iterator[Row]:
    """The counts in Section 5 and in the proof of Theorem 4."""
    case = instance(n, k)
    nodes, links, arcs = case.network.nodes, case.links, case.network.arcs
    result = case.all_to_all("multiple", "all")
    words, carried = result.outcome.received.shape[0], int(result.outcome.load.sum())
    same = isclose(nodes * (nodes - 1) / arcs, (nodes - 1) ** 2 / ((nodes - 1) * links))
    why, name = reason("nk-star-slips", same), "proof of Theorem 4: "
    yield Row(name + "links of a spanning tree", nodes - 1, carried // words)
    yield Row(name + "segments to broadcast", (nodes - 1) * links, words, why)
    yield Row(name + "directed links", (nodes - 1) * links, arcs, why)
    moved = carried // result.segments
    yield Row(name + "messages moved over all links", (nodes - 1) ** 2, moved, why)
    yield Row("Section 5: one-to-all broadcasts in an all-to-all", nodes - 1, words // links, why)


@TEXT.each(INSTANCES, "S({},{}), start-ups of ")
def _start_ups(n: int, k: int) -> Iterator[Row]:
    """Start-up terms that differ between theorems, tables and conclusion."""
    case = instance(n, k)
    links, far = case.links, case.diameter

    def keeps(turns: int, height: int, start_ups: int) -> bool:
        """Whether the least time for a tree of this height, in turns, has these start-ups."""
        least = turns * COST.least_time(height, MESSAGE / links)
        return isclose(least, pipeline_time(start_ups, turns / links))

    why = reason("nk-star-first-packet", keeps(1, far, far - 1))
    yield Row("the overall time of one tree, all-port: Table 1, then Theorem 2", far, far - 1, why)
    kept = links * (far - 1)
    what = "the overall time of one tree, one-port: Table 1, then Theorem 3"
    yield Row(what, n * far, kept, reason("nk-star-turns", keeps(links, far, kept)))
    kept = links * (2 * far - 1)
    holds = case.family.height > far and keeps(links, 2 * far, kept)
    what = "the overall time of MT trees, one-port: the conclusion, then Theorem 9"
    yield Row(what, links * (far - 1), kept, reason("nk-star-taller", holds))
    one, several = (case.all_to_all(trees, "one").steps for trees in ("greedy", "multiple"))
    why = reason("nk-star-turns", one <= links * far)
    what = "all-to-all on one tree, one-port: Theorem 5, then the run"
    yield Row(what, n * links * far, one, why)
    what = f"all-to-all, one-port: one tree's {one} against the MT trees' {several}"
    yield Row(what, "higher", "higher" if one > several else "lower", why)


@TEXT.each((3, 5), "S({},1), ")
def _logarithms(n: int) -> Iterator[Row]:
    """Lemma 1 rounds log N up; Lemma 2 and the tables take log(N-1)."""
    case = instance(n, 1)
    steps, nodes = case.doubling_steps(), case.network.nodes
    yield Row("Lemma 1: one-port steps", (nodes - 1).bit_length(), steps)
    why = reason("nk-star-doubling", 2 ** (steps - 1) < nodes <= 2**steps)
    yield Row("Lemma 2: one-port steps", round(log2(nodes - 1)), steps, why)
