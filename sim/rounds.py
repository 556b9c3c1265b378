"""Rounds of the timetable fabric: every word in the cycle in which the Python model has it."""

import cocotb
import numpy as np
from driver import SEED, Bench
from folder import FOLDER, NODES, ROUND

from noc.harness import draw_starts
from noc.model import SINKS, Traffic
from noc.model.operators import whole_numbers
from noc.model.timetable import SumData, simulate
from noc.model.timetable.kernel import FIRST_SUM
from noc.model.traffic import payload_rows
from noc.programs.round_table import first_inject, first_lane
from noc.programs.sums import SumProgram
from noc.verify.folder import read_folder

#: Other fabrics have no rounds.
FITS = ROUND is not None

#: For how many rounds each stream gets words.
ROUNDS = 6

#: Cycle, node, whose word came or which sum (-1 for a word that was given), and data.
Transfer = tuple[int, int, int, int]


def draw_words(program, gap: int) -> Traffic:
    """Words of all streams, each so many cycles in the mean behind the one before.

    Sinks that may stall take a word in half of the cycles.
    """
    count = ROUNDS * np.bincount(program.flows.inject)
    pauses = np.random.default_rng(SEED).integers(0, 2 * gap + 1, count.sum())
    release = np.concatenate([np.cumsum(own) for own in np.split(pauses, np.cumsum(count)[:-1])])
    sinks = SINKS["always" if program.config.always_ready else "half"]
    return Traffic(np.repeat(np.arange(count.size), count), release, sinks(len(NODES), SEED), SEED)


def expect(design, traffic: Traffic, starts: list[bool]) -> tuple[list[Transfer], int]:
    """What nodes give and get by the model, and the cycles that it takes."""
    program, net = design.program, design.network
    run = simulate(program, traffic, starts=starts)
    assert run.end == "drained"
    events, source = run.events, design.inject_nodes[traffic.source]
    if isinstance(program, SumProgram):
        data = SumData(program, design.width, SEED).rows(events)
        own = program.waits.size
        told = program.numbers[own + (FIRST_SUM - events.word) % len(program.inputs)]
    else:
        data, told = payload_rows(SEED, design.width, events.word), source[events.word]
    comes = (events.port >= first_lane(net)) & (events.port < first_inject(net))
    told = np.where(comes, told, -1).tolist()
    rows = zip(events.cycle.tolist(), events.node.tolist(), told, whole_numbers(data), strict=True)
    listed = events.port >= len(net.in_ports)
    return [row for row, here in zip(rows, listed, strict=True) if here], run.cycles


def list_transfers(bench: Bench) -> list[Transfer]:
    """What nodes gave and got."""
    result = []
    for number, node in enumerate(bench.nodes):
        for giver in node.givers:
            result += [(cycle, number, -1, word["data"]) for cycle, word in giver.accepted]
        for cycle, word in node.received:
            told = word.get("source", word.get("sum", 0))
            result.append((cycle, number, told, word["data"]))
    return result


@cocotb.test(timeout_time=50, timeout_unit="ms")
@cocotb.parametrize(gap=[0, 1, 2 * (ROUND or 0)])
async def each_word_is_where_the_model_has_it(dut, gap) -> None:
    """Streams offer words without pauses, and with some."""
    design = read_folder(FOLDER).design
    traffic, starts = draw_words(design.program, gap), draw_starts(ROUND)
    expected, cycles = expect(design, traffic, starts)
    bench = Bench(dut)
    bench.stall(lambda node, cycle: traffic.ready[cycle % len(traffic.ready), node])
    bench.starts = lambda cycle: starts[cycle % len(starts)]
    await bench.reset()
    givers = [giver for node in bench.nodes for giver in node.givers]
    data = whole_numbers(payload_rows(SEED, design.width, np.arange(traffic.words)))
    order = np.argsort(traffic.release, kind="stable").tolist()
    # Some cycles more, in which nothing may come.
    for cycle in range(cycles + 2 * ROUND + 50):
        while order and traffic.release[order[0]] <= cycle:
            word = order.pop(0)
            givers[traffic.source[word]].waiting.append({"data": data[word]})
        await bench.step()
    assert sorted(list_transfers(bench)) == sorted(expected)
    dut._log.info("%d transfers at the nodes in %d cycles", len(expected), cycles)
