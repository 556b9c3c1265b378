"""What stands at the ends of a link between chips, where no word waits on its way down.

Each chip stops by itself: words wait at the link from which they come while a queue of the chip is
full, and where they leave it a queue stands in place of the nodes that are on the other chip.
"""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.ordered.node import STOP
from noc.streams import Queue, Valve


class Entrance(wiring.Component):
    """Lets words from another chip in while no queue of this one is full.

    Members
    -------
    i : In(stream.Signature(shape))
        Words from the link.
    stop : In(STOP)
        That of the node whose parent in the in-tree is on the other chip.
    o : Out(stream.Signature(shape, always_ready=True))
        Words that go down.
    """

    def __init__(self, shape: Any) -> None:
        self._shape = shape
        falling = stream.Signature(shape, always_ready=True)
        super().__init__({"i": In(stream.Signature(shape)), "stop": In(STOP), "o": Out(falling)})

    def elaborate(self, platform: object) -> Module:
        """What the root has before its fork."""
        m = Module()
        m.submodules.valve = valve = Valve(self._shape)
        wiring.connect(m, wiring.flipped(self.i), valve.i)
        wiring.connect(m, valve.o, wiring.flipped(self.o))
        m.d.comb += valve.stop.eq(self.stop.valid)
        return m


class Exit(wiring.Component):
    """Takes every word for another chip, and stops those above while so many wait for the link.

    Parameters
    ----------
    shape : shape-like
        Of a word.
    queue : int
        While so many wait, it stops.
    depth : int
        How many can wait: with those that still come then.

    Members
    -------
    i : In(stream.Signature(shape, always_ready=True))
        Words that come down.
    o : Out(stream.Signature(shape))
        Words for the link.
    stop : Out(STOP)
        In place of that of the node on the other chip.
    """

    def __init__(self, shape: Any, *, queue: int, depth: int) -> None:
        self._shape, self._queue, self._depth = shape, queue, depth
        falling = stream.Signature(shape, always_ready=True)
        super().__init__({"i": In(falling), "o": Out(stream.Signature(shape)), "stop": Out(STOP)})

    def elaborate(self, platform: object) -> Module:
        """A queue whose level is watched."""
        m = Module()
        queue = Queue(self._shape, depth=self._depth, always_ready=True)
        m.submodules.queue = queue
        wiring.connect(m, wiring.flipped(self.i), queue.i)
        wiring.connect(m, queue.o, wiring.flipped(self.o))
        m.d.comb += self.stop.valid.eq(queue.level >= self._queue)
        return m
