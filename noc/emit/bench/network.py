"""A cocotb bench for the network in the folder above; run it with run.py, or read and change it.

It knows the network only from manifest.json and program.json.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import reduce

import cocotb
from driver import SEED, Bench, Ready, at_random, numbered
from folder import (
    EXCHANGE,
    KEPT_ROUNDS,
    LABELS,
    MANIFEST,
    NODES,
    ORDERED,
    PERIOD,
    QUEUED,
    ROUND,
    SINK_TIMEOUT,
    SOURCES,
    START_CYCLES,
    SUMS,
    TURNS,
    list_turns,
)
from operations import LISTED, OPERATORS, WIDTH, Operation
from streams import Giver, Node, always

#: Of so many senders and receivers of an operation, at most, a word travels alone.
ALONE = 24

#: At most so many words of a stream wait between two clocks.
CROSSING = 8


def draw_ends(operation: Operation, bench: Bench) -> list[tuple[int, int]]:
    """Senders and nodes of words that travel alone, each sender and each node once at least."""
    senders = operation.members[:1] if operation.joined else SOURCES
    nodes = [*range(len(NODES))] if operation.to_node else [0]
    senders, nodes = (bench.random.sample(each, min(ALONE, len(each))) for each in (senders, nodes))
    count = max(len(senders), len(nodes))
    return [(senders[i % len(senders)], nodes[i % len(nodes)]) for i in range(count)]


@cocotb.test(
    timeout_time=1000,
    timeout_unit="ms",
    # A word that needs those of others is not alone.
    skip=EXCHANGE is not None or KEPT_ROUNDS > 0,
)
async def latency_is_exact(dut) -> None:
    """A word of each operation alone, or one of each member, comes in the cycles of its way."""
    bench = Bench(dut)
    await bench.reset()
    for operation in LISTED:
        for sender, node in draw_ends(operation, bench):
            bench.clear()
            senders = operation.members if operation.joined else [sender]
            bench.give(operation, bench.draw(senders, 1), node)
            await bench.drain()
            assert bench.latencies(sender) == operation.latency(sender, node), operation.name


@cocotb.test(timeout_time=1000, timeout_unit="ms", skip=TURNS or EXCHANGE is not None)
async def all_send_at_the_same_time(dut) -> None:
    """Every node gives words of all its operations at full rate, into sinks that stall."""
    bench = Bench(dut)
    bench.stall(at_random(0.6))
    bench.starts = lambda _: bench.random.random() < 0.1
    await bench.reset()
    for _ in range(3):
        for operation in LISTED:
            node = bench.random.randrange(len(NODES))
            bench.give(operation, bench.draw(operation.senders(), 1), node)
    await bench.drain()


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=not TURNS)
async def idle_says_when_the_next_may_begin(dut) -> None:
    """Sinks stall at random, and each source begins at once when the one before has left."""
    bench = Bench(dut)
    bench.stall(at_random(0.4))
    await bench.reset()
    for source in (*SOURCES[:24], SOURCES[0]):
        bench.send(source, *numbered(source, 20 if source == SOURCES[0] else 3))
        waiting = bench.nodes[source].waiting
        limit = bench.cycle + 400 * len(NODES) + 4000
        while waiting or not bench.idle():
            assert bench.cycle < limit, "the network does not become idle"
            await bench.step()
            missing = bench.missing() - len(waiting) * (len(NODES) - 1)
            # Words in queues have left the network.
            if missing and not MANIFEST["queue"]:
                assert not bench.idle(), f"idle, and {missing} words are under way"
    await bench.drain()


@cocotb.test(
    timeout_time=100,
    timeout_unit="ms",
    # A queue of one word would let each sink take a word in every other cycle only.
    skip=not ORDERED or "operations" in MANIFEST or MANIFEST["queue"] == 1,
)
async def no_source_starves(dut) -> None:
    """While every node sends always, every source has its share, and the root never rests."""
    bench = Bench(dut)
    await bench.reset()
    rounds, start = 3, 4 * max(node.get("up", 0) + node["down"] for node in NODES)
    cycles = start + rounds * len(SOURCES)
    for source in SOURCES:
        bench.send(source, *numbered(source, cycles))
    for _ in range(cycles):
        await bench.step()
    sent = [sum(cycle >= start for cycle, _ in bench.nodes[s].accepted) for s in SOURCES]
    assert min(sent) >= rounds - 1, f"a source sent {min(sent)} words where {rounds} are its share"
    assert max(sent) <= rounds + 2, f"a source sent {max(sent)} words where {rounds} are its share"
    assert sum(sent) >= rounds * len(SOURCES) - start


@cocotb.test(timeout_time=1000, timeout_unit="ms", skip=not SINK_TIMEOUT)
async def others_go_on_without_one(dut) -> None:
    """A sink takes nothing for long: the others get all, and it the word that it refused."""
    bench = Bench(dut)
    await bench.reset()
    for away in bench.random.sample(range(len(NODES)), min(ALONE // 4, len(NODES))):
        bench.clear()
        absent, node = dut[NODES[away]["absent"]["signal"]], bench.nodes[away]
        node.takes, node.most_rest = (lambda _: False), 0
        for operation in LISTED:
            bench.give(operation, bench.draw(operation.senders(), 2), away)
        expected, lost = bench.count_expected(away), 0
        others = bench.missing() - expected
        limit = bench.cycle + SINK_TIMEOUT + 100 * len(NODES) * len(LISTED) + 1000
        while bench.count_received() < others or lost < expected - 1:
            assert bench.cycle < limit, f"{node.label} holds up the others; {lost} lost"
            await bench.step()
            lost += int(absent.value) >> 1
        for number in range(len(NODES)):
            if number != away:
                bench.check_node(number)
        # What it has refused for too long is still there.
        while expected and not int(absent.value):
            assert bench.cycle < limit, f"{node.label} is not given up"
            await bench.step()
        node.takes, node.most_rest = (lambda _: True), SINK_TIMEOUT
        for _ in range(2):
            await bench.step()
        assert not int(absent.value), f"{node.label} took a word, and is given none"
        came = len(node.received)
        assert came == bool(expected), f"{node.label} got {came} words"
        assert came + lost == expected, f"{expected} words, {lost} lost"
        bench.clear()
        for operation in LISTED:
            bench.give(operation, bench.draw(operation.senders(), 1), away)
        await bench.drain()


@cocotb.test(
    timeout_time=100,
    timeout_unit="ms",
    skip=ROUND is None or EXCHANGE is not None or KEPT_ROUNDS > 0,
)
async def each_round_takes_a_word_of_each(dut) -> None:
    """While every node sends always, each has one word in each round, and all come in time."""
    bench = Bench(dut)
    await bench.reset()
    rounds = 4
    for source in SOURCES:
        bench.send(source, *numbered(source, rounds))
    for cycle in range(START_CYCLES + rounds * ROUND):
        await bench.step()
        phase = max(0, cycle + 1 - START_CYCLES) % ROUND
        for node in NODES:
            assert int(dut[node["phase"]["signal"]].value) == phase, node["label"]
    first = START_CYCLES + MANIFEST["inject_phase"]
    for source in SOURCES:
        cycles = [cycle for cycle, _ in bench.nodes[source].accepted]
        assert cycles == [first + ROUND * number for number in range(rounds)]
    # The last words are on links in the round that begins then, or began; or still in queues.
    for _ in range(1 + QUEUED + ROUND * (MANIFEST["inject_phase"] > 0)):
        await bench.step()
    assert not bench.missing(), "a word comes after its round"
    await bench.drain()


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=not KEPT_ROUNDS)
async def a_round_waits_for_all(dut) -> None:
    """While one node gives nothing, no word comes out; its words are all that is missing."""
    bench = Bench(dut)
    await bench.reset()
    streams = [(node, giver) for node in bench.nodes for giver in node.givers]
    # Enough for a round by each stream.
    for number, (_, giver) in enumerate(streams):
        giver.waiting.extend({"data": each} for each in numbered(number, ROUND))
    late = bench.random.choice(streams)[0]
    late.offers = lambda _: False
    for _ in range(MANIFEST["open_cycles"] + 3 * PERIOD + 50):
        await bench.step()
    assert not bench.count_received(), "a round begins without a word"
    late.offers = always
    for _ in range(rest(bench, latest() + 2)):
        await bench.step()
    assert bench.count_received(), "no round begins"


def targets_of(bench: Bench) -> Iterator[tuple[int, Node, int, list[str | None]]]:
    """Each inject stream: the number of its node, the node, which one it is, and for whom."""
    for number in SOURCES:
        for place, lane in enumerate(NODES[number]["inject_lanes"]):
            yield number, bench.nodes[number], place, lane["targets"]


def latest() -> int:
    """How many rounds after its first word a sum comes at the latest."""
    lanes = (lane.get("after", ()) for node in NODES for lane in node.get("lanes", ()))
    return max((each or 0 for after in lanes for each in after), default=0)


def rest(bench: Bench, rounds: int) -> int:
    """Cycles in which words that were given come, those of so many rounds at last."""
    # Between two clocks some more words wait, and those of nodes may be slower.
    crossing = len(bench.domains) > 1
    rounds += KEPT_ROUNDS + CROSSING * crossing + MANIFEST.get("room_rounds", 0)
    waits = MANIFEST.get("open_cycles", 0) + 4 * MANIFEST.get("queue_depth", 0)
    return (rounds * PERIOD + 2 + waits) * (4 if crossing else 1)


async def exchange(dut, rounds: int, chance: float, ready: Ready, top: dict = MANIFEST) -> Bench:
    """Words for some rounds, each offered from a cycle on that is random, and what came of them.

    A word is for the node that its stream has in the phase in which it is taken; or that which the
    phases have in turn, where rounds have the words of all.
    """
    bench = Bench(dut, top)
    bench.stall(ready)
    bench.starts = lambda _: chance == 1 or bench.random.random() < chance
    await bench.reset()
    for number, node, place, targets in targets_of(bench):
        lots = random.Random(f"{SEED} {number} {place}")
        node.offers = lambda _: bench.random.random() < chance
        count = rounds * sum(label is not None for label in targets)
        words = ({"data": lots.getrandbits(WIDTH)} for _ in range(count))
        node.givers[place].waiting.extend(words)
    # All stand still for most of the time while sinks stall, or between pulses.
    slow = 50 if QUEUED or START_CYCLES or KEPT_ROUNDS else 1
    limit = int(bench.cycle + (rounds + 3) * ROUND * (1 + 4 / chance) * slow)
    while any(giver.waiting for node in bench.nodes for giver in node.givers):
        assert bench.cycle < limit, "words wait for ever to be sent"
        await bench.step()
    bench.starts = always
    for node in bench.nodes:
        node.takes = always
    for _ in range(rest(bench, 2)):
        await bench.step()
    given = [Counter() for _ in NODES]
    for number, node, place, targets in targets_of(bench):
        turns = list_turns(targets)
        for turn, (cycle, word) in enumerate(node.givers[place].accepted):
            label = targets[turns[turn % len(turns)] if KEPT_ROUNDS else word["phase"]]
            assert label is not None, f"{node.label} gives a word in cycle {cycle}, for nobody"
            given[LABELS.index(label)][number, word["data"]] += 1
    for number, node in enumerate(bench.nodes):
        came = Counter((word["source"], word["data"]) for _, word in node.received)
        wrong, missing = came - given[number], given[number] - came
        assert came == given[number], f"{node.label} got {wrong}, not {missing} (source, data)"
    return bench


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=EXCHANGE is None or SUMS is not None)
async def each_round_brings_every_word(dut) -> None:
    """While every stream always has a word, it gives one in each of its phases."""
    rounds = 3
    bench = await exchange(dut, rounds, 1, lambda *_: True)
    if KEPT_ROUNDS:
        # Queues take them earlier. One round is given, and one may pass, before the first begins.
        last = max(cycle for node in bench.nodes for cycle, _ in node.received)
        most = MANIFEST["open_cycles"] + (rounds + 2) * PERIOD + QUEUED
        assert last <= most, f"{rounds} rounds take {last} cycles, not {most} at most"
        return
    for number, node, place, targets in targets_of(bench):
        phases = [phase for phase, label in enumerate(targets) if label is not None]
        cycles = [cycle for cycle, _ in node.givers[place].accepted]
        starts = range(START_CYCLES, START_CYCLES + rounds * ROUND, ROUND)
        own = [first + phase for first in starts for phase in phases]
        assert cycles == own, f"{LABELS[number]} gives words in cycles {cycles}, not {own}"


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=EXCHANGE is None or SUMS is not None)
async def rounds_may_lack_words(dut) -> None:
    """Streams that often have no word when their phase comes give it in a later one."""
    await exchange(dut, 3, 0.3, at_random(0.6))


async def add_up(dut, chance: float, ready: Ready, top: dict = MANIFEST) -> Bench:
    """Words for some rounds, each offered from a cycle on that is random, and their sums.

    In the phase f of the round n a stream takes a word of the round n less what its lane has there.
    What a node does not give is in no sum.
    """
    bench, rounds = Bench(dut, top), 4
    bench.stall(ready)
    await bench.reset()
    lanes = [lane for number in SOURCES for lane in NODES[number]["inject_lanes"]]
    givers = [giver for node in bench.nodes for giver in node.givers]
    for place, (lane, giver) in enumerate(zip(lanes, givers, strict=True)):
        lots = random.Random(f"{SEED} {place}")
        count = rounds * sum(number is not None for number in lane["sums"])
        giver.waiting.extend({"data": lots.getrandbits(WIDTH)} for _ in range(count))
    for node in bench.nodes:
        node.offers = lambda _: bench.random.random() < chance
    most = latest()
    limit = (most + 4 * rounds) * ROUND * (1 + 4 / chance) * (50 if QUEUED or KEPT_ROUNDS else 1)
    while any(giver.waiting for giver in givers):
        assert bench.cycle < limit, "words wait for ever to be taken"
        await bench.step()
    for node in bench.nodes:
        node.takes = always
    for _ in range(rest(bench, most + 2)):
        await bench.step()
    given = given_by_round(bench, zip(lanes, givers, strict=True))
    for number, node in enumerate(bench.nodes):
        for total, words in enumerate(given):
            for_it = EXCHANGE == "all_reduce" or total == number
            came = [
                (cycle, word["data"])
                for cycle, word in node.received
                if word.get("sum", 0) == total
            ]
            check_sum(bench, number, total, words if for_it else {}, came)
    return bench


def given_by_round(bench: Bench, streams: Iterable[tuple[dict, Giver]]) -> list[dict]:
    """By sum and round the words that were taken."""
    given = [defaultdict(list) for _ in range(SUMS)]
    for lane, giver in streams:
        turns = list_turns(lane["sums"], lane["after"])
        for turn, (cycle, word) in enumerate(giver.accepted):
            if KEPT_ROUNDS:
                number, place = divmod(turn, len(turns))
                given[lane["sums"][turns[place]]][number].append(word["data"])
                continue
            total, after = lane["sums"][word["phase"]], lane["after"][word["phase"]]
            assert total is not None, f"a word is taken in phase {word['phase']}, for no sum"
            number = bench.moved[cycle] // ROUND - after
            assert number >= 0, f"a word is taken in cycle {cycle}, before the first round"
            given[total][number].append(word["data"])
    return given


def check_sum(bench: Bench, node: int, total: int, words: dict, came: list) -> None:
    """One sum at one node: from each round in which a word was given, in order and in time."""
    label, operator = LABELS[node], OPERATORS.get(MANIFEST["operator"])
    assert len(came) == len(words), f"{label} got {len(came)} of sum {total}"
    lanes = [lane for lane in NODES[node].get("lanes", ()) if total in lane["sums"]]
    afters = [lane["after"][lane["sums"].index(total)] for lane in lanes]
    for (cycle, got), number in zip(came, sorted(words), strict=True):
        # What an operator of a user's does is not known here.
        if operator is not None:
            expected = reduce(operator, words[number])
            assert got == expected, f"{label}: {words[number]} became {got}"
        # From a queue it may come later, and between rounds there may be some without words.
        after = bench.moved[cycle] // ROUND - number
        at_once = not (QUEUED or KEPT_ROUNDS)
        assert not at_once or afters == [after], f"{label} gets a sum {after} rounds later"


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=SUMS is None)
async def each_round_adds_every_word(dut) -> None:
    """While every stream always has a word, each sum has one of every node."""
    await add_up(dut, 1, lambda *_: True)


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=SUMS is None)
async def sums_may_lack_words(dut) -> None:
    """What a node does not give in time is in no sum, and its next word is in a later one."""
    await add_up(dut, 0.3, at_random(0.6))
