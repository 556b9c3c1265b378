"""Nodes behind a bus in networks that work in rounds: the drivers in C and in Python."""

import runpy
import threading
from collections import deque
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from folders import generated
from test_bus import DEPTH
from test_bus_drivers import ROUNDS, check_c, run_cpus

from noc.design import build_design
from noc.fabrics.timetable.design import TimetableDesign
from noc.model.timetable.live import LiveRounds

EXCHANGES = (
    *("all_gather", "all_to_all", "scatter", "gather"),
    *("all_reduce:sum", "reduce_scatter:sum"),
)


def generate(folder: Path, exchange: str, *options: str) -> None:
    asked = ("--exchange", exchange, "--bus", "wishbone,axi4-lite", *options)
    generated(folder, "star:3", *ROUNDS, *asked)


# What a node has for another one, or for a sum, in a round, it can be seen of whom it is.
PROGRAM = """
enum { COUNT = 7, PLACES = NOC_NODES * COUNT };

static uint32_t word_of(unsigned from, unsigned to, unsigned round) {
    return 10000 * from + 100 * to + round;
}

static bool is(const uint32_t* result, unsigned place, uint32_t low) {
    for (unsigned part = 1; part < NOC_DATA_WORDS; ++part)
        if (result[place * NOC_DATA_WORDS + part]) return false;
    return result[place * NOC_DATA_WORDS] == low;
}

static void program(unsigned me) {
    noc_node node = {uintptr_t{me} << 8, me};
    static uint32_t words[NOC_NODES][PLACES * NOC_DATA_WORDS];
    static uint32_t results[NOC_NODES][PLACES * NOC_DATA_WORDS];
    uint32_t *data = words[me], *result = results[me];
    for (unsigned place = 0; place < PLACES; ++place)
        data[place * NOC_DATA_WORDS] = word_of(me, place / COUNT, place % COUNT);
    const uint32_t all = 10000 * 15;
    for (unsigned turn = 0; turn < 2; ++turn) {
#if defined(NOC_ALL_GATHER)
        NOC_Allgather(&node, data, result, COUNT);
        for (unsigned place = 0; place < PLACES; ++place)
            wrong += !is(result, place, word_of(place / COUNT, 0, place % COUNT));
#elif defined(NOC_ALL_TO_ALL)
        NOC_Alltoall(&node, data, result, COUNT);
        for (unsigned place = 0; place < PLACES; ++place)
            wrong += !is(result, place, word_of(place / COUNT, me, place % COUNT));
#elif defined(NOC_SCATTER)
        NOC_Scatter(&node, data, result, COUNT);
        for (unsigned n = 0; n < COUNT; ++n) wrong += !is(result, n, word_of(NOC_ROOT, me, n));
#elif defined(NOC_GATHER)
        NOC_Gather(&node, data, result, COUNT);
        for (unsigned place = 0; me == NOC_ROOT && place < PLACES; ++place)
            wrong += !is(result, place, word_of(place / COUNT, 0, place % COUNT));
#elif defined(NOC_ALL_REDUCE)
        NOC_Allreduce(&node, data, result, COUNT);
        for (unsigned n = 0; n < COUNT; ++n) wrong += !is(result, n, all + 6 * n);
#elif defined(NOC_REDUCE_SCATTER)
        NOC_Reduce_scatter_block(&node, data, result, COUNT);
        for (unsigned n = 0; n < COUNT; ++n) wrong += !is(result, n, all + 600 * me + 6 * n);
#endif
#if !defined(NOC_SCATTER) && !defined(NOC_GATHER)
#ifndef NOC_BARRIER
#error "all nodes give and get words here"
#endif
        NOC_Barrier(&node);
#endif
    }
    (void)all;
    if (noc_alarms(&node)) ++wrong;
}
"""


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize("options", ["--width 32", "--width 70", "--bus-depth 1"])
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_cpus_at_all_nodes_take_part_in_rounds(tmp_path: Path, exchange: str, options: str) -> None:
    folder = tmp_path / "out"
    generate(folder, exchange, *options.split())
    bus = "wishbone" if options == "--width 32" else "axi4-lite"
    assert run_cpus(folder, tmp_path / "build", bus, PROGRAM) == 0


@pytest.mark.ci
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_the_header_is_c_and_without_a_warning(tmp_path: Path, exchange: str) -> None:
    generate(tmp_path / "out", exchange)
    (header,) = (tmp_path / "out" / "bus").glob("*.h")
    source = tmp_path / "main.c"
    source.write_text(f'#include "{header}"\nint main(void) {{ return 0; }}\n')
    check_c("-pedantic", source)


class Network:
    """The model, with the registers of all nodes; each access of one takes a cycle of all."""

    def __init__(self, design: TimetableDesign) -> None:
        self.lock, self.live = threading.Lock(), LiveRounds(design.program, design.width)
        nodes = range(design.network.nodes)
        self.given = [deque[tuple[int, int]]() for _ in nodes]
        self.came = [deque[tuple[int, int]]() for _ in nodes]
        self.stream = [0 for _ in nodes]
        self.left = [[len(design.program.order_of(node))] * 2 for node in nodes]

    def _move(self) -> None:
        offers = [(node, *queue[0]) for node, queue in enumerate(self.given) if queue]
        taken, came, _ = self.live.move(offers)
        for node, _ in taken:
            self.given[node].popleft()
        for node, data, number in came:
            left = self.left[node]
            left[0] = left[0] - 1 or left[1]
            self.came[node].append((data, number | (left[0] == left[1]) << 24))

    def read(self, node: int, address: int) -> int:
        with self.lock:
            self._move()
            came = self.came[node]
            if address == 0x08:
                return DEPTH - len(self.given[node]) | len(came) << 16
            return came[0][1] if address == 0x1C else came.popleft()[0]

    def write(self, node: int, address: int, value: int) -> None:
        with self.lock:
            self._move()
            if address == 0x18:
                self.stream[node] = value >> 25
            else:
                assert len(self.given[node]) < DEPTH
                self.given[node].append((self.stream[node], value))


def call(node: Any, exchange: str) -> Any:
    """Two words of each node for each, or fewer, through the driver."""
    words = {to: [100 * node.number + 10 * to + turn for turn in range(2)] for to in range(6)}
    if exchange == "all_gather":
        return node.allgather(words[0])
    if exchange == "all_to_all":
        return node.alltoall(words, 2)
    if exchange == "scatter":
        return node.scatter(words, 2)
    if exchange == "gather":
        return node.gather(words[0])
    if exchange == "all_reduce:sum":
        return node.allreduce(words[0])
    return node.reduce_scatter_block(words, 2)


def expected(node: int, exchange: str) -> Any:
    came = {
        "all_gather": {n: [100 * n, 100 * n + 1] for n in range(6)},
        "all_to_all": {n: [100 * n + 10 * node, 100 * n + 10 * node + 1] for n in range(6)},
        "scatter": [10 * node, 10 * node + 1],
        "gather": {} if node else {n: [100 * n, 100 * n + 1] for n in range(6)},
        "all_reduce:sum": [1500, 1506],
        "reduce_scatter:sum": [1500 + 60 * node, 1506 + 60 * node],
    }
    return came[exchange]


@pytest.mark.cases(2, ci=4)
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_the_python_driver_takes_part_in_rounds(tmp_path: Path, exchange: str) -> None:
    generate(tmp_path / "out", exchange)
    driver = runpy.run_path(str(tmp_path / "out" / "bus" / "noc_bus.py"))
    options = {"fabric": "timetable", "start": "ready", "ejects": "one", "exchange": exchange}
    design = build_design("star:3", **options)
    assert isinstance(design, TimetableDesign)
    network, results = Network(design), dict[int, list[Any]]()

    def run(number: int) -> None:
        read, write = partial(network.read, number), partial(network.write, number)
        label = design.network.label(number)
        node = driver["RoundNode"](read, write, tmp_path / "out" / "manifest.json", label)
        results[number] = [call(node, exchange)]
        if exchange in ("scatter", "gather"):
            with pytest.raises(ValueError, match=r"^no barrier: some nodes give no words"):
                node.barrier()
        else:
            node.barrier()
        results[number].append(call(node, exchange))

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    wanted = {number: [expected(number, exchange)] * 2 for number in range(6)}
    assert {number: results.get(number) for number in range(6)} == wanted
