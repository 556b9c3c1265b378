"""Rows of times, and why figures of the (n,k)-star paper differ from the runs, with tests."""

from math import isclose

import numpy as np

from noc.networks import IntArray
from noc.research.papers.tables.nk_star.runs import COST, MESSAGE, Instance
from noc.research.papers.tables.table import Reason, Row, explained
from noc.trees.tree import NO_PARENT

__all__ = [
    "busy_sender",
    "idle_ports",
    "one_start_up_a_word",
    "only_link",
    "pasted",
    "root_sends",
    "shared_by_rotated",
    "shared_by_turned",
    "shared_links",
    "timed",
    "uneven_dimensions",
    "uneven_within",
    "unrounded_logarithm",
    "whole_height",
]


def timed(
    heading: str,
    what: str,
    printed: float,
    computed: float,
    why: Reason | None = None,
    *,
    bound: bool = False,
) -> Row:
    """A row of two times, to one decimal; the reason is kept only where they differ."""
    what = f"{heading}, {what}"
    row = Row(what, f"{printed:.1f}", round(computed, 1), bound=bound, formula=True)
    return explained(row, why)


def only_link(case: Instance) -> Reason:
    """All-port use of one tree."""
    floor = COST.least_time(case.diameter, MESSAGE)
    printed = case.formulas.pipelined(case.diameter - 1, 1 / case.formulas.links)
    return Reason(
        "a node receives the whole message over its one link of the tree, so one tree cannot "
        f"spread it over n-1 links; the least for one tree is {floor:.1f} overall",
        case.busiest_link("greedy") == 1 and floor > printed,
    )


def pasted(case: Instance) -> Reason:
    """The transmission of MT trees in Table 1."""
    slices = case.busiest_link("multiple") * case.formulas.links
    return Reason(
        "Table 2's all-to-all entry stands in Table 1; Theorem 8 has m/(n-1)·T_c",
        isclose(slices, case.family.congestion)
        and case.family.congestion < case.formulas.nodes - 1,
    )


def shared_links(case: Instance) -> Reason:
    """All-port use of MT trees."""
    family, formulas = case.family, case.formulas
    without = COST.least_time(family.height, MESSAGE / formulas.links)
    busiest = case.busiest_link("multiple")
    return Reason(
        f"links that belong to {family.congestion} of the n-1 trees carry so many segments of "
        "every round; with disjoint trees of this height the formula would hold",
        family.congestion > 1
        and isclose(busiest * formulas.links, family.congestion)
        and without <= formulas.pipelined(2 * case.diameter - 1, 1 / formulas.links) + 1e-6,
    )


def root_sends(case: Instance) -> Reason:
    """One-port use of one tree."""
    links = case.formulas.links
    sent = case.one_to_all("greedy", "one", links).load[0].sum() / links
    printed = case.formulas.pipelined(links * (case.diameter - 1), 1)
    return Reason(
        "the root has n-1 children and sends each the whole message by its one port, which "
        f"alone takes (n-1)·m·T_c = {case.formulas.transmission(links):.0f}",
        sent == links and case.formulas.transmission(links) > printed,
    )


def busy_sender(case: Instance) -> Reason:
    """One-port use of MT trees."""
    children = np.zeros(case.network.nodes, dtype=np.int64)
    for tree in case.family.trees:
        np.add.at(children, tree.parent[tree.parent != NO_PARENT], 1)
    links, most = case.formulas.links, int(children.max())
    start_ups = links * (2 * case.diameter - 1)
    corrected = case.formulas.pipelined(start_ups, most / links)
    return Reason(
        f"a node with {most} children in the n-1 trees together sends more than one message's "
        f"bytes; with its load in place of m the formula gives {corrected:.1f}",
        most > links and case.best_time("multiple", "one")[1] <= corrected,
    )


def unrounded_logarithm(case: Instance) -> Reason:
    """The one-port start-up of the tables' optimum."""
    return Reason(
        "the table drops the rounding of Lemma 1 and takes the logarithm of N-1 for that of N",
        case.doubling_steps() == (case.formulas.nodes - 1).bit_length(),
    )


def uneven_dimensions(case: Instance, algorithm: str) -> Reason:
    """All-port transmission in all-to-all use."""
    result = case.all_to_all(algorithm, "all")
    mean = float(result.outcome.load.mean()) / result.segments
    busiest = int(result.outcome.load.max()) / result.segments
    formulas = case.formulas
    return Reason(
        "the proof takes all links for evenly loaded; the mean link carries the printed "
        f"{mean:.2f} messages, the busiest {busiest:.2f}, and a step waits for its largest packet",
        isclose(mean, (formulas.nodes - 1) / formulas.links) and busiest > mean,
    )


def uneven_within(case: Instance, algorithm: str) -> Reason:
    """One-port transmission in all-to-all use."""
    return Reason(
        "the MT trees depend on an order of the outside symbols, so links of one dimension carry "
        "unequal packets and the others wait for the largest",
        not case.loads_within_dimensions(algorithm) and case.loads_within_dimensions("greedy"),
    )


def whole_height(case: Instance) -> Reason:
    """Start-up of MT trees in all-to-all use."""
    height = case.family.height
    return Reason(
        f"all {height} levels take a step; 2D-1 is what remains of 2D after the first packet of a "
        "pipeline, and here nothing is pipelined",
        case.all_to_all("multiple", "all").steps == height == 2 * case.diameter,
    )


def one_start_up_a_word(case: Instance) -> Reason:
    """All-port all-to-all use without combining."""
    result = case.all_to_all("greedy", "all", combine=False)
    busiest = int(result.outcome.load.max())
    formulas = case.formulas
    printed = formulas.plain(case.diameter, (formulas.nodes - 1) / formulas.links)
    return Reason(
        f"uncombined, the busiest link pays {busiest} start-ups, one for each word",
        busiest * COST.hop_time(MESSAGE) > printed,
    )


def idle_ports(case: Instance) -> Reason:
    """One-port all-to-all use without combining."""
    result = case.all_to_all("greedy", "one", combine=False)
    others = case.formulas.nodes - 1
    sends = result.outcome.load.sum(axis=1)
    printed = case.formulas.plain(case.n * case.formulas.links * case.diameter, others)
    return Reason(
        f"every node sends and receives {others} words, which fit the formula, but it waits for "
        f"some of them: {result.steps} steps",
        bool((sends == others).all()) and others * COST.hop_time(MESSAGE) <= printed,
    )


def shared_by_rotated(case: Instance, uses: IntArray, printed: int) -> Reason:
    """Theorem 6 for the trees T, from how many of them use each link."""
    swaps = int(uses[:, : case.k - 1].max(initial=0))
    if swaps > printed:
        return Reason(
            "at a node that begins with the first symbol of one root the first wrong position may "
            "be the home of that symbol in another tree: these two use one link by the proof's "
            "own first two conditions",
            swaps == 2,
        )
    upward = uses[case.network.neighbour, case.network.arrival]
    fetched = int((upward[:, case.k - 1 :] > 0).sum(axis=1).max())
    return Reason(
        f"the proof has n-k trees fetch one of k = {case.k} symbols, but what is desired differs "
        f"from tree to tree: one node fetches {fetched} symbols",
        fetched > case.k,
    )


def shared_by_turned(rotated: IntArray, turned: IntArray) -> Reason:
    """More of the trees MT than of the trees T on one link, from the uses of every link."""
    beyond = turned > rotated.max()
    return Reason(
        "Theorem 6 counts the trees before their paths are turned: a turned hop comes down a link "
        "that other trees share already",
        bool((turned > rotated)[beyond].all()),
    )
