"""The timetable fabric whose nodes all stand still at times: for full queues, or between rounds."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers import edit
from ordered_runs import run_bench
from readable_rounds import Played
from round_designs import (
    at_once,
    programmed,
)
from verilog_files import compared, written

from noc.design import build_design
from noc.hardware.timetable.pacer import Pacer
from noc.model import Traffic
from noc.model.timetable import simulate
from noc.programs.pauses import tree_sizes
from noc.programs.round_config import RoundConfig
from noc.verify import name_runs

# The model.


@pytest.mark.cases(1)
@pytest.mark.parametrize("spec", ["star:3", "ring:5", "star:4", "ring:17"])
def test_a_queue_needs_all_its_room(spec: str) -> None:
    """While no sink takes anything, one is filled up to the last word, and none beyond that."""
    program = replace(programmed(spec, None), config=RoundConfig("queued", 3))
    nodes = program.network.nodes
    source = np.repeat(np.arange(nodes), 40)
    ready = np.zeros((1, nodes), dtype=np.bool_)
    network = Played(program, Traffic(source, np.zeros_like(source), ready))
    network.run(40 * program.round)
    assert max(map(len, network.queues.values())) == program.queue_depth
    assert not any(network.moved[-program.round :])


@pytest.mark.parametrize("spec", ["star:3", "star:4", "ring:17"])
def test_sinks_that_are_ready_stop_nobody(spec: str) -> None:
    """With the shortest queue, every round follows the one before; and words come a cycle later."""
    free = programmed(spec, None)
    traffic = at_once(free, np.repeat(np.arange(free.network.nodes), 20))
    queued = replace(free, config=RoundConfig("queued", 2))
    assert simulate(queued, traffic).cycles == simulate(free, traffic).cycles + 1
    assert (queued.latency == free.latency + 1).all()


def test_a_pulse_is_a_round() -> None:
    """All words of a round come after one pulse, in a known cycle, and none of the next."""
    program = replace(programmed("star:4", None), config=RoundConfig(start="pulse"))
    traffic = at_once(program, np.tile(np.arange(24), 3))
    pulses = [cycle in (10, 50) for cycle in range(100)]
    run = simulate(program, traffic, cycles=100, starts=pulses)
    assert run.events is not None
    injects = run.events.port == len(program.network.in_ports)
    first = 10 + program.start_cycles
    assert run.events.cycle[injects].tolist() == [first] * 24 + [first + 40] * 24
    assert run.delivered == 2 * 24 * 23
    assert run.events.cycle.max() == first + 40 + program.latency.max()


# The hardware.


@pytest.mark.parametrize(
    ("nodes", "queued", "length"), [(3, True, 0), (17, True, 5), (70, False, 1)]
)
def test_all_are_told_the_same(nodes: int, queued: bool, length: int) -> None:
    """Each node and what is outside, in every cycle, as the rules say of tells and pulses."""
    dut = Pacer(nodes, queued=queued, round=max(1, length), pulsed=length > 0)
    lots = random.Random(nodes)
    levels, told, pulses, seen = len(tree_sizes(nodes)), [], [], []

    async def play(ctx):
        for _ in range(400):
            told.append(queued and lots.random() < 0.1)
            pulses.append(lots.random() < 0.3)
            if queued:
                ctx.set(dut.full[lots.randrange(nodes)].valid, told[-1])
            if length:
                ctx.set(dut.start, pulses[-1])
            seen.append(ctx.get(dut.moves))
            assert [ctx.get(pace.valid) for pace in dut.pace] == [seen[-1]] * nodes
            await ctx.tick()
            for node in range(nodes if queued else 0):
                ctx.set(dut.full[node].valid, 0)

    run_bench(dut, play)
    goes, left, asked = [not length] * levels, 0, False
    for cycle, pulse in enumerate(pulses):
        go = (left > 0 or not length) and not (cycle >= levels and told[cycle - levels])
        goes.append(go)
        left -= go
        if asked and left <= 0:
            left, asked = length, False
        asked = asked or pulse
    assert seen == goes[: len(seen)]
    assert 0 < sum(seen) < len(seen)


# The Verilog.


@pytest.mark.ci
def test_a_node_that_never_stands_still_is_caught(tmp_path: Path, parts: Path) -> None:
    design = build_design("star:3", fabric="timetable", width=8, sinks="queued", queue=2)
    top, *others = written(design, tmp_path)
    edit(top, ".pace__valid(pace_132__valid)", ".pace__valid(1'b1)")
    runs = name_runs(design, "full:phases", words=20)
    assert not compared(design, [top, *others], runs, tmp_path, parts=parts).passed
