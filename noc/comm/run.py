"""Run a program, on whatever there is: a network, modelled or real, or none."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from noc.comm.session import Program, launch
from noc.comm.setup import Nodes, Setup, describe_nodes
from noc.comm.world import Arrival, Event, Message, Run, World
from noc.programs.operators import OPERATORS

if TYPE_CHECKING:
    from noc.design import AnyDesign


def run(
    program: Program,
    on: "AnyDesign | Nodes | Path | str",
    *arguments: Any,
    verilog: bool = False,
    cycles: int | None = None,
    simulator: str = "verilator",
) -> Run:
    """Run a program at every node.

    Parameters
    ----------
    program : callable
        A coroutine function: what each node does. Its first argument is the node's
        :class:`noc.comm.Comm`.
    on : AnyDesign, Nodes, Path or str
        Where: on the cycle model of a design, without a network, or on the Verilog in a folder that
        ``noc generate`` wrote.
    verilog : bool
        Run a design on its Verilog, which is written to a temporary folder, not on the model.
    arguments
        More for the program, the same at every node.
    cycles : int, optional
        Give up after this number of cycles.
    simulator : str
        What runs the Verilog.

    >>> from noc.comm import Nodes, run
    >>> async def total(comm):
    ...     return (await comm.all_reduce(comm.rank)).tolist()
    >>> run(total, Nodes(4)).results
    [[6], [6], [6], [6]]
    """
    if isinstance(on, Nodes):
        return _run_reference(describe_nodes(on), program, arguments)
    # What the other engines need takes a while to import.
    if not isinstance(on, Path | str) and not verilog:
        from noc.comm.model import run_model

        return run_model(on, program, arguments, cycles)
    from noc.comm.verilog import run_verilog, written

    if not isinstance(on, Path | str):
        with written(on) as folder:
            return run_verilog(folder, program, arguments, cycles=cycles, simulator=simulator)
    return run_verilog(Path(on), program, arguments, cycles=cycles, simulator=simulator)


def _run_reference(setup: Setup, program: Program, arguments: Sequence[Any]) -> Run:
    """Run without a network: numpy combines values, and messages come at once."""
    world = World(setup)
    world.carry = _Ideal(world).carry
    try:
        launch(world, program, arguments)
        while True:
            world.loop.run()
            if world.ended:
                return world.result()
            if world.loop.next_cycle is None:
                raise world.deadlock()
            world.loop.cycle = world.loop.next_cycle
    finally:
        world.loop.close()


_COMBINE: dict[str, Callable[[Any], Any]] = {
    "sum": np.add.reduce,
    "min": np.minimum.reduce,
    "max": np.maximum.reduce,
    "band": np.bitwise_and.reduce,
    "bor": np.bitwise_or.reduce,
    "bxor": np.bitwise_xor.reduce,
}


class _Ideal:
    """Carries messages in no time, as a whole."""

    def __init__(self, world: World) -> None:
        self._world, self._setup = world, world.setup
        #: For each group what each member has given and is not joined yet.
        self._waiting: dict[str, dict[int, deque[Message]]] = {
            name: {node: deque() for node in nodes} for name, nodes in world.setup.groups.items()
        }

    def carry(self, message: Message, taken: Event[None]) -> None:
        """Deliver a message, or all that can be joined with it."""
        taken.set(None)
        arrival = Arrival(message.giver, message.words)
        if message.operation.joined:
            waiting = self._waiting[message.operation.group]
            waiting[message.giver].append(message)
            if not all(waiting.values()):
                return
            arrival = Arrival(None, self._join([each.popleft() for each in waiting.values()]))
        for node in self._receivers(message):
            self._world.deliver(node, message.operation, arrival)

    def _receivers(self, message: Message) -> list[int]:
        operation = message.operation
        if operation.to_node:
            assert message.node is not None
            return [message.node]
        drops = not self._setup.own_words and not operation.joined
        members = self._setup.groups[operation.group]
        return [node for node in members if not (drops and node == message.giver)]

    def _join(self, messages: Sequence[Message]) -> tuple[int, ...]:
        name, width = messages[0].operation.operator, self._setup.width
        if not name:
            return messages[0].words
        if (model := OPERATORS[name].model) is not None:
            columns = zip(*(message.words for message in messages), strict=True)
            return tuple(reduce(lambda a, b: model(a, b, width), column) for column in columns)
        operator, _, signed = name.partition("_")
        rows = np.array([m.words for m in messages], dtype=np.uint64 if width <= 64 else object)
        # Numbers with a sign are in the order of numbers without one whose first bit is inverted.
        flip = 1 << width - 1 if signed else 0
        result = _COMBINE[operator](rows ^ flip) ^ flip
        return tuple(int(word) & ((1 << width) - 1) for word in result)
