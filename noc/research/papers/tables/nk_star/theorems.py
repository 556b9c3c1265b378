"""The (n,k)-star paper's theorems on times, and where its parts contradict one another."""

from collections.abc import Iterator
from functools import partial
from math import isclose, log2

from noc.research.papers.tables.nk_star import reasons
from noc.research.papers.tables.nk_star.reasons import timed
from noc.research.papers.tables.nk_star.runs import COST, INSTANCES, MESSAGE, Instance, instance
from noc.research.papers.tables.table import Reason, Row

__all__ = ["rows"]


def _one_to_all(case: Instance) -> Iterator[Row]:
    """The formula for p, and Theorems 2, 3, 8, 9 with the best p by search."""
    formulas, links, far = case.formulas, case.formulas.links, case.diameter
    row = partial(timed, case.name)
    for name, height in (("one tree", far), ("MT trees of height 2D", 2 * far)):
        best = COST.best_segments(height, MESSAGE / links)
        what = f"{case.name}, all-port, {name}: best p by the formula, rounded"
        yield Row(what, round(formulas.ideal_rounds(height)), best)
    what = "{} (best p by search: {})"
    p, time = case.best_time("greedy", "all")
    printed = formulas.pipelined(far - 1, 1 / links)
    yield row(what.format("Theorem 2", p), printed, time, reasons.only_link(case), bound=True)
    p, time = case.best_time("greedy", "one")
    printed = formulas.pipelined(links * (far - 1), 1)
    yield row(what.format("Theorem 3", p), printed, time, reasons.root_sends(case), bound=True)
    p, time = case.best_time("multiple", "all")
    printed = formulas.pipelined(2 * far - 1, 1 / links)
    yield row(what.format("Theorem 8", p), printed, time, reasons.shared_links(case), bound=True)
    p, time = case.best_time("multiple", "one")
    printed = formulas.pipelined(links * (2 * far - 1), 1)
    yield row(what.format("Theorem 9", p), printed, time, reasons.busy_sender(case), bound=True)


def _all_to_all(case: Instance) -> Iterator[Row]:
    """Theorems 4, 5, 10, 11; 4 and 5 also with nothing combined."""
    formulas, links, far = case.formulas, case.formulas.links, case.diameter
    row = partial(timed, case.name)
    all_port, one_port = (formulas.nodes - 1) / links, formulas.nodes - 1
    theorem_4 = formulas.plain(far, all_port)
    theorem_5 = formulas.plain(case.n * links * far, one_port)
    time = case.all_to_all("greedy", "all").time(COST, MESSAGE)
    uneven = reasons.uneven_dimensions(case, "greedy")
    yield row("Theorem 4", theorem_4, time, uneven, bound=True)
    time = case.all_to_all("greedy", "all", combine=False).time(COST, MESSAGE)
    single = reasons.one_start_up_a_word(case)
    yield row("Theorem 4, nothing combined", theorem_4, time, single, bound=True)
    time = case.all_to_all("greedy", "one").time(COST, MESSAGE)
    yield row("Theorem 5", theorem_5, time, bound=True)
    time = case.all_to_all("greedy", "one", combine=False).time(COST, MESSAGE)
    idle = reasons.idle_ports(case)
    yield row("Theorem 5, nothing combined", theorem_5, time, idle, bound=True)
    time = case.all_to_all("multiple", "all").time(COST, MESSAGE)
    uneven = reasons.uneven_dimensions(case, "multiple")
    printed = formulas.plain(2 * far - 1, all_port)
    yield row("Theorem 10", printed, time, uneven, bound=True)
    time = case.all_to_all("multiple", "one").time(COST, MESSAGE)
    printed = formulas.plain(links * (2 * far - 1), one_port)
    yield row("Theorem 11", printed, time, reasons.uneven_within(case, "multiple"), bound=True)


def _counts(case: Instance) -> Iterator[Row]:
    """The counts in Section 5 and in the proof of Theorem 4."""
    nodes, links = case.formulas.nodes, case.formulas.links
    result = case.all_to_all("multiple", "all")
    words, carried = result.outcome.received.shape[0], int(result.outcome.load.sum())
    why = Reason(
        "all N nodes are sources and there are N(n-1) directed links, not N-1 and (N-1)(n-1); "
        "the two slips cancel in the quotient",
        isclose(nodes * (nodes - 1) / case.network.arcs, (nodes - 1) ** 2 / ((nodes - 1) * links)),
    )
    name = f"{case.name}, proof of Theorem 4: "
    yield Row(name + "links of a spanning tree", nodes - 1, carried // words)
    yield Row(name + "segments to broadcast", (nodes - 1) * links, words, why)
    yield Row(name + "directed links", (nodes - 1) * links, case.network.arcs, why)
    moved = carried // result.segments
    yield Row(name + "messages moved over all links", (nodes - 1) ** 2, moved, why)
    what = f"{case.name}, Section 5: one-to-all broadcasts in an all-to-all"
    yield Row(what, nodes - 1, words // links, why)


def _keeps(case: Instance, turns: int, height: int, start_ups: int) -> bool:
    """Whether the least time for a tree of this height, in turns, has so many start-ups."""
    messages = turns / case.formulas.links
    least = turns * COST.least_time(height, MESSAGE / case.formulas.links)
    return isclose(least, case.formulas.pipelined(start_ups, messages))


def _start_ups(case: Instance) -> Iterator[Row]:
    """Start-up terms that differ between theorems, tables and conclusion."""
    links, far, name = case.formulas.links, case.diameter, f"{case.name}, start-ups of "
    kept = far - 1
    first = "of D steps for the first packet the least time keeps D-1 start-ups, as Theorem 2 says"
    what = "the overall time of one tree, all-port: Table 1, then Theorem 2"
    yield Row(name + what, far, kept, Reason(first, _keeps(case, 1, far, kept)))
    kept = links * (far - 1)
    turns = "Section 4.2 plays a step in n-1 turns, so there are n-1 times as many and not n times"
    what = "the overall time of one tree, one-port: Table 1, then Theorem 3"
    yield Row(name + what, case.n * far, kept, Reason(turns, _keeps(case, links, far, kept)))
    kept = links * (2 * far - 1)
    taller = "D-1 belongs to the one tree; the MT trees are up to 2D high, as Theorem 9 says"
    what = "the overall time of MT trees, one-port: the conclusion, then Theorem 9"
    why = Reason(taller, case.family.height > far and _keeps(case, links, 2 * far, kept))
    yield Row(name + what, links * (far - 1), kept, why)
    one, several = (case.all_to_all(trees, "one").steps for trees in ("greedy", "multiple"))
    what = "all-to-all on one tree, one-port: Theorem 5, then the run"
    why = Reason(turns, one <= links * far)
    yield Row(name + what, case.n * links * far, one, why)
    what = f"all-to-all, one-port: one tree's {one} against the MT trees' {several}"
    yield Row(name + what, "higher", "higher" if one > several else "lower", why)


def _logarithms() -> Iterator[Row]:
    """Lemma 1 rounds log N up; Lemma 2 and the tables take log(N-1)."""
    for n in (3, 5):
        case = instance(n, 1)
        steps, nodes = case.doubling_steps(), case.network.nodes
        yield Row(f"{case.name}, Lemma 1: one-port steps", (nodes - 1).bit_length(), steps)
        why = Reason(
            "informed nodes at most double in a step: the logarithm is of N",
            2 ** (steps - 1) < nodes <= 2**steps,
        )
        yield Row(f"{case.name}, Lemma 2: one-port steps", round(log2(nodes - 1)), steps, why)


def rows() -> list[Row]:
    """All rows on times."""
    cases = [instance(n, k) for n, k in INSTANCES]
    parts = (_one_to_all, _all_to_all, _counts, _start_ups)
    return [row for part in parts for case in cases for row in part(case)] + [*_logarithms()]
