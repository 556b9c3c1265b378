"""The queue at a node does in every cycle what a queue in gates does, if it is a block RAM too."""

import random

import pytest
from amaranth.hdl import ClockDomain, Fragment, Module, Signal
from amaranth.lib import memory
from amaranth.lib.fifo import SyncFIFO
from amaranth.sim import Simulator

from noc.streams import Queue


def differences(width: int, depth: int, cycles: int = 1500) -> int:
    """In how many cycles the two say different things under the same random use."""
    m, chance = Module(), random.Random(100 * width + depth)
    m.domains.sync = clock = ClockDomain()
    m.submodules.known = known = SyncFIFO(width=width, depth=depth)
    m.submodules.queue = queue = Queue(width, depth=depth)
    both = (
        (known.w_stream, known.r_stream, known.level),
        (queue.i, queue.o, queue.level),
    )
    count = 0

    async def use(ctx):
        nonlocal count

        def shown(into, out, level) -> tuple[int, ...]:
            word = ctx.get(out.valid) and 1 + ctx.get(out.payload)
            return ctx.get(into.ready), word, ctx.get(level)

        for cycle in range(cycles):
            # For a while it runs full, then empty, then neither.
            often = (0.9, 0.1, 0.5, 1.0)[cycle // 50 % 4]
            put, take = chance.random() < often, chance.random() < (1.1 - often)
            word = chance.getrandbits(width)
            ctx.set(clock.rst, chance.random() < 0.01)
            for into, out, _ in both:
                ctx.set(into.valid, put)
                ctx.set(into.payload, word)
                ctx.set(out.ready, take)
            count += shown(*both[0]) != shown(*both[1])
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(use)
    simulator.run()
    return count


@pytest.mark.cases(5)
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 7, 17, 32])
@pytest.mark.parametrize("width", [0, 1, 5])
def test_it_does_what_a_queue_in_gates_does(width: int, depth: int) -> None:
    assert differences(width, depth) == 0


def test_a_word_that_does_not_pass_by_the_memory_is_seen(monkeypatch) -> None:
    right = memory.Memory.read_port

    def old_words(self, *, domain: str = "sync", transparent_for=()):
        del transparent_for
        return right(self, domain=domain)

    monkeypatch.setattr(memory.Memory, "read_port", old_words)
    assert differences(5, 5)


def test_a_reset_that_leaves_words_is_seen(monkeypatch) -> None:
    elaborate = Queue.elaborate

    def kept(self, platform) -> Module:
        self.level = Signal.like(self.level, reset_less=True)
        return elaborate(self, platform)

    monkeypatch.setattr(Queue, "elaborate", kept)
    assert differences(5, 4)


@pytest.mark.parametrize(("depth", "domain"), [(4, "comb"), (5, "sync")])
def test_few_words_are_no_block_ram(monkeypatch, depth: int, domain: str) -> None:
    domains, right = [], memory.Memory.read_port

    def read_port(self, *, domain: str = "sync", transparent_for=()):
        domains.append(domain)
        return right(self, domain=domain, transparent_for=transparent_for)

    monkeypatch.setattr(memory.Memory, "read_port", read_port)
    Fragment.get(Queue(8, depth=depth), None)
    assert domains == [domain]
