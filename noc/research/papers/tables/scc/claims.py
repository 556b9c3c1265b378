"""What the SCC report states about broadcasts outside its tables: theorems, counts, claims."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from noc.model.steps import LOST
from noc.networks import ABSENT, IntArray, Network
from noc.networks.cycles import LATERAL, LEFT, RIGHT
from noc.research.papers.tables.scc.broadcasts import MODELS, percent, running_time, star_one_port
from noc.research.papers.tables.scc.graph import diameter, diameter_reason
from noc.research.papers.tables.table import Row, Rows, build, one_tree, reason, yes
from noc.trees import Ports
from noc.trees.rings import RingBroadcast, parallel_moves, rounds, sequential_moves

TEXT = Rows()

# Messages in the pipelines that are run.
MESSAGES = 4


@TEXT.each(range(3, 9), "n = {}, ")
def _cyclic_sequences(n: int) -> Iterator[Row]:
    plan = rounds(build(f"scc:{n}"), "one")
    for name, algorithm, moves, length in (
        ("seq", "sequential", sequential_moves(plan, 0), 2 * (n - 1) * plan.count - 1),
        ("par", "parallel", parallel_moves(plan), (n - 1) * plan.count),
    ):
        steps = one_tree(f"scc:{n}", f"cyclic-{algorithm}", "one").steps
        yield Row(f"σ-{name}(C), steps of the sequence", length, len(moves))
        yield Row(f"σ-{name}(C), last receipt", length, steps, bound=True)


@TEXT.each(range(3, 9))
def _rounds(n: int) -> Iterator[Row]:
    for family, least, count in (("scc", n + 1, 3 * (n - 1) // 2), ("ccc", n + 2, n)):
        for ports in MODELS:
            length = (least + (ports == "one")) // 2
            spec, name = f"{family}:{n}", f"{family}, n = {n}, {ports}-port"
            steps = one_tree(spec, "cyclic", ports).steps
            yield Row(f"{name} cyclic broadcast, steps", length * count, steps)
            rate = rounds(build(spec), ports).locals
            yield Row(f"{name}, Theorem 11: local rate over lateral rate", length - 1, rate)


@dataclass(frozen=True)
class PipelinedRounds:
    """What a run gave."""

    #: The step at which each node (column) first received each message (row); at the root the step
    #: before its first round; ``LOST`` where the rounds did not bring it.
    received: IntArray
    #: Steps of the whole schedule.
    schedule: int
    #: How often the variables had a node send more in one step than the model allows: two messages
    #: on one port, or in one-port use two messages on any ports.
    clashes: int
    #: Copies of a message that reached a node which had it and was waiting for a later one. A node
    #: that counts receipts to distinguish messages would take each for the next.
    stray_copies: int

    @property
    def steps(self) -> int:
        """The step of the last first receipt."""
        return int(self.received.max())


def pipelined_rounds(network: Network, root: int, ports: Ports, messages: int) -> PipelinedRounds:
    """Run Algorithm 4 or 5 with one set of variables for each message, as the report extends them.

    Message k enters at the root in round k, and the rounds are as many more as there are
    further messages. Messages carry their number.
    """
    plan = rounds(network, ports)
    runs = [RingBroadcast(network, root, ports) for _ in range(messages)]
    received = np.full((messages, network.nodes), LOST, dtype=np.int32)
    received[:, root] = np.arange(messages) * plan.length
    clashes = stray_copies = step = 0
    for round_number in range(plan.count + messages - 1):
        for turn in plan.turns:
            step += 1
            sent = np.zeros(network.neighbour.shape, dtype=np.int32)
            held = np.count_nonzero(received != LOST, axis=0)
            for message, run in enumerate(runs[: round_number + 1]):
                had = run.informed.copy()
                for port, sender in run.sends(turn):
                    sent[sender, port] += 1
                    receiver = network.neighbour[sender, port]
                    stray_copies += int((held[receiver[had[receiver]]] < messages).sum())
                    fresh, _ = run.receive(sender, port)
                    received[message, fresh] = step
            clashes += int(((sent if ports == "all" else sent.sum(axis=1)) > 1).sum())
    return PipelinedRounds(received, step, clashes, stray_copies)


@TEXT.each(product(range(3, 7), MODELS), f"n = {{}}, {{}}-port, {MESSAGES} messages, ")
def _pipelines(n: int, ports: Ports) -> Iterator[Row]:
    net = build(f"scc:{n}")
    run = pipelined_rounds(net, 0, ports, MESSAGES)
    # The report's floor encloses the whole count of rounds; B is whole, so it does not
    # matter that the floor of 3(n-1)/2 alone is meant.
    per_round = (n + 1 + (ports == "one")) // 2
    printed = per_round * int(MESSAGES - 1 + 3 * (n - 1) / 2)
    yield Row("steps", printed, run.schedule)
    yield Row("last receipt", printed, run.steps)
    everything, received = MESSAGES * net.nodes, int((run.received != LOST).sum())
    yield Row("first receipts", everything, received)
    why = reason("scc-ring-of-two", rounds(net, ports).locals == 1 and net.degree == 2)
    yield Row("sends beyond the model", 0, run.clashes, why)
    why = reason("scc-counting", received == everything)
    what = "second copies that reach a node still waiting for a message"
    yield Row(what, 0, run.stray_copies, why)


@TEXT.add
def _distances() -> Iterator[Row]:
    why = reason("scc-distance-7", diameter_reason(7).holds and diameter("scc:7") == 30)
    for ports, sizes, named, printed in (
        ("all", range(4, 9), "4…8", "17.6"),
        ("one", (5, 7), "5 and 7", "16.1"),
        ("one", range(4, 9), "4…8", "50"),
    ):
        specs = [f"scc:{n}" for n in sizes]
        distances = [
            percent(one_tree(spec, "cyclic", ports).steps, diameter(spec), "0.0") for spec in specs
        ]
        yield Row(f"{ports}-port, n = {named}, greatest distance", printed, max(distances), why)


@TEXT.each(range(4, 9), "n = {}, ")
def _against_star(n: int) -> Iterator[Row]:
    time, all_port = (running_time(f"scc:{n}", ports) for ports in MODELS)
    yield Row("one-port running time, at most the star's", star_one_port(n), time, bound=True)
    on_star = one_tree(f"star:{n}", "balanced", "all").steps
    yield Row("all-port running time, in broadcasts on the star", 2, all_port / on_star)


@TEXT.each(range(4, 9), "star, n = {}, ")
def _optimal_on_star(n: int) -> Iterator[Row]:
    printed, steps = star_one_port(n), one_tree(f"star:{n}", "fewest-steps", "one").check().steps
    why = reason("scc-star-not-optimal", steps < printed)
    yield Row("'optimal' one-port broadcast of reference 15, steps", printed, steps, why)


@TEXT.each(((4, 4), (5, 6), (6, 9)))
def _against_ccc(n: int, cube: int) -> Iterator[Row]:
    """Section 12's "better performance" than a CCC of similar size, and its average distance."""
    specs = f"scc:{n}", f"ccc:{cube}"
    scc, ccc = (running_time(spec, "one") for spec in specs)
    why = reason("scc-as-quick-as-ccc", scc == ccc == 2 * build(f"star:{n}").diameter() == 2 * cube)
    what = f"SCC, n = {n}, one-port running time, less than that of CCC, n = {cube}"
    yield Row(what, "yes", yes(scc < ccc), why)
    mean, other = (float(build(spec).distances(0).mean()) for spec in specs)
    why = reason("scc-mean-distance", mean > other, scc=mean, ccc=other)
    what = f"SCC, n = {n}, average distance, favourable against CCC, n = {cube}"
    yield Row(what, "yes", yes(mean < other), why)


@TEXT.each(range(3, 7), "n = {}, ")
def _per_node(n: int) -> Iterator[Row]:
    """Section 11's ratio of all-port running time to size, SCC's less than the star's."""
    scc, star = build(f"scc:{n}"), build(f"star:{n}")
    time = running_time(scc.spec, "all") * star.nodes
    on_star = one_tree(star.spec, "shortest", "all").steps * scc.nodes
    why = reason("scc-equal-3", time == on_star)
    yield Row("all-port time by size, less than the star's", "yes", yes(time < on_star), why)


#: Each node sends by all of these ports in a step: everybody, or those at one ring position.
Sends = tuple[tuple[int, ...], int | None]


def both_local_links(network: Network) -> IntArray:
    """The step in which each node receives if local steps use both links, on every ring at once.

    Lateral and local steps alternate, as in the one-port sequence; node 0 begins.
    """
    first, *others = _word(network)
    steps: list[Sends] = [((LATERAL,), first)]
    for position in others:
        steps += [((RIGHT, LEFT), None), ((LATERAL,), position)]
    return _receipts(network, steps)


def joined_steps(network: Network) -> IntArray:
    """The same if a lateral and the local link to the next position are used in one step."""
    return _receipts(network, [((LATERAL, RIGHT), position) for position in _word(network)])


def _word(network: Network) -> list[int]:
    """The ring positions whose laterals are used, in turn, over and over."""
    plan = rounds(network, "one")
    return [*range(plan.ring)] * plan.count


def _receipts(network: Network, steps: list[Sends]) -> IntArray:
    """Play the steps; all sends of a step are decided before the first is received."""
    ring = int(network.parameters[0]) - 1
    received = np.full(network.nodes, LOST, dtype=np.int32)
    received[0] = 0
    for step, (ports, position) in enumerate(steps, start=1):
        senders = np.flatnonzero(received != LOST)
        if position is not None:
            senders = senders[senders % ring == position]
        receivers = network.neighbour[senders][:, list(ports)].ravel()
        receivers = receivers[receivers != ABSENT]
        received[receivers[received[receivers] == LOST]] = step
    return received


@TEXT.each((4, 5, 6), "n = {}, Section 9.1, ")
def _section_9_1(n: int) -> Iterator[Row]:
    """What comes of either approach, for the sizes that the report draws."""
    net = build(f"scc:{n}")
    one_port = one_tree(net.spec, "cyclic-sequential", "one").step
    both, joined = both_local_links(net), joined_steps(net)
    yield Row("nodes informed with both local links", net.nodes, int((both != LOST).sum()))
    why = reason("scc-section-9-1", (both <= one_port).all() and both.max() < one_port.max())
    what = "last receipt with both local links, the one-port sequence's"
    yield Row(what, int(one_port.max()), int(both.max()), why)
    reached = int((joined != LOST).sum())
    what = f"joined lateral and local steps, {reached} of {net.nodes} nodes informed"
    yield Row(what, "fails", "fails" if reached < net.nodes else "informs all")
