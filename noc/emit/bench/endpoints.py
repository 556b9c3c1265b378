"""A cocotb bench for the endpoints of the network in the folder above: AXI-Stream, clocks, or both.

Run it with run.py. It knows the network only from manifest.json.
"""

import random

import cocotb
from driver import SEED, Bench
from folder import (
    ALWAYS_READY,
    ENDPOINTS,
    EXCHANGE,
    KEPT_ROUNDS,
    LABELS,
    MANIFEST,
    NODES,
    PERIOD,
    ROUND,
    SINK_TIMEOUT,
    SOURCES,
    SUMS,
    TURNS,
)
from network import add_up, exchange
from operations import LISTED
from streams import always

# One source at a time, unless the nodes take turns by themselves.
ALONE = TURNS and not ENDPOINTS.get("turns")
#: Words of the longest packets, or messages.
LONGEST = ENDPOINTS.get("packet_words") or (3 if "operations" in MANIFEST else 20)
#: Whether all nodes have the network's clock.
ONE_CLOCK = all(entry["clock"] == ENDPOINTS["clock"] for entry in ENDPOINTS["nodes"])

# Between packets that are put together or take turns, and between two clocks, there may be gaps.
UNBROKEN = (
    MANIFEST.get("ports", "all") == "all"
    and ROUND is None
    and ENDPOINTS.get("packet_words") is None
    and not ENDPOINTS.get("turns")
    and "operations" not in MANIFEST
    and ONE_CLOCK
)


def at_random(chance: float, seed: str):
    """In some cycles."""
    lots = random.Random(seed)
    return lambda _: lots.random() < chance


async def begin(dut, offer: float = 1, take: float = 1) -> Bench:
    """Nodes that offer words and take them with these chances."""
    bench = Bench(dut, ENDPOINTS)
    for number, node in enumerate(bench.nodes):
        node.offers = at_random(offer, f"{SEED} offer {number}")
        node.takes = at_random(take, f"{SEED} take {number}")
    await bench.reset()
    return bench


async def give_all(bench: Bench, rounds: int, *, words: int | None = None) -> None:
    """Messages of all operations from all nodes, or from one after the other."""
    for _ in range(rounds):
        for operation in LISTED:
            node = bench.random.randrange(len(NODES))
            senders = operation.senders()[:8] if ALONE else operation.senders()
            # A round may need the words of all.
            together = operation.joined or KEPT_ROUNDS
            for group in [senders] if together else [[s] for s in senders]:
                size = words or bench.random.randint(1, LONGEST)
                bench.give(operation, bench.draw(group, size), node)
                if ALONE:
                    await bench.settle()
    await drain(bench)


async def drain(bench: Bench) -> None:
    """Run until all has come, and check it."""
    await bench.drain()
    check_ends(bench)


def check_ends(bench: Bench) -> None:
    """That what comes by a stream up to the end of a round is a round: each of its words once."""
    for node, known in zip(bench.nodes, NODES, strict=True):
        for lane in known.get("lanes", ()):
            numbers = [each for each in lane["sums" if SUMS else "sources"] if each is not None]
            came: list[str | int] = []
            for _, word in node.received:
                # The number of the only sum is left out.
                number = word.get("sum", 0) if SUMS else LABELS[word["source"]]
                if number not in numbers or "end_of_round" not in word:
                    continue
                came.append(number)
                if word["end_of_round"]:
                    assert sorted(came) == sorted(numbers), f"{node.label}: {came} end a round"
                    came = []
            assert not came, f"{node.label}: the round of {came} does not end"


@cocotb.test(timeout_time=1000, timeout_unit="ms", skip=EXCHANGE is not None)
async def each_operation_works(dut) -> None:
    """Messages of each operation, by themselves, from every node."""
    bench = await begin(dut)
    for operation in LISTED:
        bench.clear()
        for group in [[s] for s in operation.senders()[:8]] if ALONE else [operation.senders()]:
            bench.give(operation, bench.draw(group, 2), bench.random.randrange(len(NODES)))
            await drain(bench)


@cocotb.test(timeout_time=1000, timeout_unit="ms", skip=EXCHANGE is not None)
@cocotb.parametrize(offer=[0.5, 1], take=[0.4, 1])
async def all_messages_arrive(dut, offer: float, take: float) -> None:
    """All nodes send, with pauses on both sides; nothing is lost or mixed up."""
    await give_all(await begin(dut, offer, take), 5)


@cocotb.test(timeout_time=1000, timeout_unit="ms", skip=EXCHANGE is None)
@cocotb.parametrize(chance=[0.3, 1])
async def all_rounds_arrive(dut, chance: float) -> None:
    """Words for some rounds of an exchange, and sums, with pauses on both sides."""
    ready = at_random(0.6, SEED)
    if SUMS:
        bench = await add_up(dut, chance, lambda _, cycle: ready(cycle), ENDPOINTS)
    else:
        bench = await exchange(dut, 4, chance, lambda _, cycle: ready(cycle), ENDPOINTS)
    check_ends(bench)


@cocotb.test(
    timeout_time=1000,
    timeout_unit="ms",
    skip=ALWAYS_READY or SINK_TIMEOUT > 0 or EXCHANGE is not None,
)
async def everything_fills_while_sinks_stop(dut) -> None:
    """No sink takes a word until all buffers on the way are full; nothing is lost by that."""
    bench = await begin(dut, take=0)
    for _ in range(5):
        for operation in LISTED:
            senders = SOURCES[:1] if ALONE else operation.senders()
            bench.give(operation, bench.draw(senders, LONGEST))
    for _ in range(500):
        await bench.step()
    for node in bench.nodes:
        node.takes = always
    await drain(bench)


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=not UNBROKEN)
async def one_source_fills_every_sink(dut) -> None:
    """The words of one source arrive everywhere at one word a cycle."""
    bench = await begin(dut)
    source, words = SOURCES[0], 20 * LONGEST
    for _ in range(20):
        bench.give(LISTED[0], bench.draw([source], LONGEST))
    await drain(bench)
    for node in bench.nodes:
        cycles = [cycle for cycle, _ in node.received]
        assert not cycles or cycles[-1] - cycles[0] == words - 1, f"{node.label}: gaps"


@cocotb.test(
    timeout_time=100,
    timeout_unit="ms",
    skip=ROUND is None or EXCHANGE is not None or not ONE_CLOCK,
)
async def rounds_follow_without_a_gap(dut) -> None:
    """While all nodes always have a word, each gets the words of all others in every round."""
    bench, rounds = await begin(dut), 20
    bench.give(LISTED[0], bench.draw(SOURCES, rounds))
    await drain(bench)
    for node in bench.nodes:
        cycles = [cycle for cycle, _ in node.received]
        took = cycles[-1] - cycles[0] + 1
        assert took <= rounds * PERIOD, f"{node.label}: {rounds} rounds take {took} cycles"


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=not ENDPOINTS.get("packet_words"))
async def packets_that_are_too_long_are_cut(dut) -> None:
    """A longer packet arrives as several, each of them whole, and nothing stops for ever."""
    bench = await begin(dut, take=0.7)
    await give_all(bench, 1, words=3 * LONGEST + 1)
