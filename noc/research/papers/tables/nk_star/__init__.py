"""Broadcasting on (n,k)-star graphs: Tables 1 and 2, with figures for concrete sizes.

The tables hold O(…) expressions. Each is evaluated as it stands, without a hidden constant, for
``INSTANCES`` at ``COST`` and ``MESSAGE`` and compared with a run in the step model. Times of
algorithms are upper bounds; what is sent over the busiest link or by the busiest node is not.
Y.S. Chen's algorithm is quoted from a paper that we do not have: of its figures only those that
the copy shows can be set against the lower bounds of Lemma 1.
"""

from collections.abc import Iterator
from functools import partial
from math import factorial

from noc.research.papers.tables.nk_star import reasons, text
from noc.research.papers.tables.nk_star.reasons import timed
from noc.research.papers.tables.nk_star.runs import COST, INSTANCES, MESSAGE, Instance, instance
from noc.research.papers.tables.table import PaperTable, Row
from noc.trees import Ports

__all__ = ["TABLES"]

SETTING = f"m = {MESSAGE} bytes, T_s = {COST.start_up:g}, T_c = {COST.per_byte:g}"

CHEN = "Y.S. Chen, {} (quoted; at least Lemma 1's bound)"
ILLEGIBLE = "Y.S. Chen, {} (quoted; illegible in the copy)"


def _optimal(case: Instance, ports: Ports, messages: float) -> Iterator[Row]:
    """Lower bounds; ``messages`` is the transmission in whole messages."""
    formulas, row = case.formulas, partial(timed, f"{case.name}, {ports}-port, optimal")
    printed, floor, why = float(case.diameter), float(case.network.eccentricity(0)), None
    if ports == "one":
        printed, floor = max(printed, formulas.log_nodes), max(floor, case.doubling_steps())
        why = reasons.unrounded_logarithm(case)
    # A node takes in so many messages, over its one port or over all of them.
    taken_in = messages * formulas.links if ports == "all" else messages
    sent = formulas.transmission(taken_in / (case.network.degree if ports == "all" else 1))
    start_up, transmission = formulas.start_up(printed), formulas.transmission(messages)
    yield row("start-up", start_up, formulas.start_up(floor), why)
    yield row("transmission", transmission, sent)
    overall = max(formulas.start_up(floor), sent)
    yield row("overall", max(start_up, transmission), overall, why)


def _one_to_all_all_port(case: Instance) -> Iterator[Row]:
    formulas, diameter = case.formulas, case.diameter
    links, bytes_ = formulas.links, formulas.transmission
    row = partial(timed, f"{case.name}, all-port")
    yield from _optimal(case, "all", 1 / links)
    bound = (formulas.start_up(diameter), bytes_(1 / links))
    quoted = (formulas.start_up(2 * diameter - 1), bytes_(4 / links))
    yield row(CHEN.format("start-up"), quoted[0], bound[0], bound=True)
    yield row(CHEN.format("transmission"), quoted[1], bound[1], bound=True)
    yield row(CHEN.format("overall"), sum(quoted), max(bound), bound=True)
    one_link = reasons.only_link(case)
    first = case.one_to_all("greedy", "all", 1).steps
    yield row("one tree, start-up", formulas.start_up(diameter), formulas.start_up(first))
    busiest = bytes_(case.busiest_link("greedy"))
    yield row("one tree, transmission", bytes_(1 / links), busiest, one_link)
    # The table has D start-ups where Theorem 2 has D-1.
    printed = formulas.pipelined(diameter - 1, 1 / links) + COST.start_up
    best = case.best_time("greedy", "all")[1]
    yield row("one tree, overall", printed, best, one_link, bound=True)
    pasted = reasons.pasted(case)
    remaining = case.family.height - 1
    printed = formulas.start_up(2 * diameter - 1)
    yield row("MT trees, start-up", printed, formulas.start_up(remaining), bound=True)
    all_to_all = (formulas.nodes - 1) / links
    busiest = bytes_(case.busiest_link("multiple"))
    yield row("MT trees, transmission", bytes_(all_to_all), busiest, pasted)
    best = case.best_time("multiple", "all")[1]
    yield row("MT trees, overall", formulas.plain(2 * diameter - 1, all_to_all), best, pasted)


def _one_to_all_one_port(case: Instance) -> Iterator[Row]:
    formulas, diameter = case.formulas, case.diameter
    links, bytes_, start_up = formulas.links, formulas.transmission, formulas.start_up
    row = partial(timed, f"{case.name}, one-port")
    yield from _optimal(case, "one", 1)
    n, k = case.n, case.k
    quoted = 2 + (n - k + 2) * factorial(n - k - 1) / factorial(n)
    yield Row(f"{case.name}, one-port, " + ILLEGIBLE.format("start-up"), None, None)
    yield row(CHEN.format("transmission"), bytes_(quoted), bytes_(1), bound=True)
    yield Row(f"{case.name}, one-port, " + ILLEGIBLE.format("overall"), None, None)
    root = reasons.root_sends(case)
    first = case.one_to_all("greedy", "one", 1).steps
    yield row("one tree, start-up", start_up(n * diameter), start_up(first), bound=True)
    busiest = bytes_(case.busiest_sender("greedy"))
    yield row("one tree, transmission", bytes_(1), busiest, root)
    best = case.best_time("greedy", "one")[1]
    printed = formulas.pipelined(links * (diameter - 1), 1)
    yield row("one tree, overall", printed, best, root, bound=True)
    printed = start_up(links * (2 * diameter - 1))
    first = case.one_to_all("multiple", "one", links).steps
    yield row("MT trees, start-up", printed, start_up(first), bound=True)
    busiest = bytes_(case.busiest_sender("multiple"))
    yield row("MT trees, transmission", bytes_(1), busiest, reasons.busy_sender(case))
    best = case.best_time("multiple", "one")[1]
    printed = formulas.pipelined(links * (2 * diameter - 1), 1)
    yield row("MT trees, overall", printed, best, reasons.busy_sender(case), bound=True)


def _all_to_all(case: Instance, ports: Ports) -> Iterator[Row]:
    formulas, links, diameter = case.formulas, case.formulas.links, case.diameter
    row = partial(timed, f"{case.name}, {ports}-port")
    factor = 1 if ports == "all" else links
    messages = (formulas.nodes - 1) / (links if ports == "all" else 1)
    yield from _optimal(case, ports, messages)
    start_ups = {
        "greedy": diameter if ports == "all" else case.n * links * diameter,
        "multiple": factor * (2 * diameter - 1),
    }
    for algorithm, name in (("greedy", "one tree"), ("multiple", "MT trees")):
        result, start = case.all_to_all(algorithm, ports), start_ups[algorithm]
        if ports == "all":
            loads = reasons.uneven_dimensions(case, algorithm)
        else:
            loads = reasons.uneven_within(case, algorithm)
        late = reasons.whole_height(case) if algorithm == "multiple" else None
        taken = formulas.start_up(result.steps)
        yield row(f"{name}, start-up", formulas.start_up(start), taken, late, bound=True)
        printed = formulas.transmission(messages)
        yield row(f"{name}, transmission", printed, formulas.transmission(result.messages), loads)
        taken, printed = result.time(COST, MESSAGE), formulas.plain(start, messages)
        yield row(f"{name}, overall", printed, taken, loads if loads.holds else late, bound=True)


def _table_1() -> list[Row]:
    cases = [instance(n, k) for n, k in INSTANCES]
    parts = (_one_to_all_all_port, _one_to_all_one_port)
    return [row for part in parts for case in cases for row in part(case)]


def _table_2() -> list[Row]:
    cases = [instance(n, k) for n, k in INSTANCES]
    models: tuple[Ports, ...] = ("all", "one")
    return [row for ports in models for case in cases for row in _all_to_all(case, ports)]


TABLES = (
    PaperTable(
        "nk-star-1", "nk-star", f"one-to-all broadcasting, {SETTING}", _table_1, formula=True
    ),
    PaperTable(
        "nk-star-2", "nk-star", f"all-to-all broadcasting, {SETTING}", _table_2, formula=True
    ),
    PaperTable("nk-star-text", "nk-star", f"counts and theorems, {SETTING}", text.rows),
)
