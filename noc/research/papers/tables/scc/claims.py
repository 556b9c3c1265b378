"""What the SCC report states about broadcasts outside its tables: theorems, counts, claims."""

from collections.abc import Iterator

from noc.model.steps.words import LOST
from noc.research.papers.rounds import pipelined_rounds
from noc.research.papers.tables.scc.compare import running_time, star_one_port
from noc.research.papers.tables.scc.facts import diameter, diameter_reason, percent
from noc.research.papers.tables.table import Reason, Row, explained
from noc.research.papers.tables.trees import build, one_tree
from noc.trees import Ports
from noc.trees.cyclic import parallel_moves, rounds, sequential_moves

__all__ = ["rows"]

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
