"""The queue at a node: in a block RAM it does in every cycle what it does in gates."""

import random

import pytest
from amaranth.hdl import Fragment, Module
from amaranth.lib.fifo import SyncFIFO
from amaranth.sim import Simulator

from noc.hardware.queue import BlockFIFO, queue

WIDTH = 5


def differences(depth: int, seed: int, cycles: int = 2000) -> int:
    """In how many cycles the two say different things under the same random use."""
    m, chance = Module(), random.Random(seed)
    m.submodules.known = known = SyncFIFO(width=WIDTH, depth=depth)
    m.submodules.made = made = BlockFIFO(width=WIDTH, depth=depth)
    found = 0

    async def use(ctx):
        nonlocal found
        for cycle in range(cycles):
            # For a while it runs full, then empty, then neither.
            often = (0.9, 0.1, 0.5, 1.0)[cycle // 50 % 4]
            put, take = chance.random() < often, chance.random() < (1.1 - often)
            word = chance.getrandbits(WIDTH)
            for each in (known, made):
                ctx.set(each.w_en, put)
                ctx.set(each.w_data, word)
                ctx.set(each.r_en, take)
            shown = [
                (ctx.get(each.w_rdy), ctx.get(each.r_rdy) and 1 + ctx.get(each.r_data))
                for each in (known, made)
            ]
            levels = [(ctx.get(each.w_level), ctx.get(each.r_level)) for each in (known, made)]
            found += shown[0] != shown[1] or levels[0] != levels[1]
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(use)
    simulator.run()
    return found


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 7, 17, 32])
def test_it_does_what_a_queue_in_gates_does(depth: int) -> None:
    assert differences(depth, seed=depth) == 0


def test_a_difference_would_be_seen(monkeypatch) -> None:
    # The word behind the oldest is read a cycle late.
    monkeypatch.setattr(BlockFIFO, "_after", lambda _, place: place)
    assert differences(4, seed=1)


@pytest.mark.parametrize(("depth", "kind"), [(4, SyncFIFO), (5, BlockFIFO)])
def test_few_words_are_no_block_ram(depth: int, kind: type) -> None:
    m = Module()
    m.submodules.queue = found = queue(WIDTH, depth)
    Fragment.get(m, None)
    assert isinstance(found, kind)
