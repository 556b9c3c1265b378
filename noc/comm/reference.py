"""Programs without a network: numpy combines values, and messages come at once."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from noc.comm.mailbox import Arrival
from noc.comm.session import Program, launch
from noc.comm.setup import Setup
from noc.comm.tasks import Event
from noc.comm.world import Deliver, Message, Run, World
from noc.programs.operators import OPERATORS

__all__ = ["run_reference"]

_COMBINE: dict[str, Callable[[Any], Any]] = {
    "sum": np.add.reduce,
    "min": np.minimum.reduce,
    "max": np.maximum.reduce,
    "band": np.bitwise_and.reduce,
    "bor": np.bitwise_or.reduce,
    "bxor": np.bitwise_xor.reduce,
}


def run_reference(setup: Setup, program: Program, arguments: Sequence[Any]) -> Run:
    """Run a program at every node, without a network."""
    world = World(setup)
    world.carrier = _Ideal(setup, world.deliver)
    try:
        launch(world, program, arguments)
        return _run(world)
    finally:
        world.loop.close()


def _run(world: World) -> Run:
    while True:
        world.loop.run()
        if world.ended:
            return world.result()
        if world.loop.next_cycle is None:
            raise world.deadlock()
        world.loop.cycle = world.loop.next_cycle


class _Ideal:
    """Carries messages in no time, as a whole."""

    def __init__(self, setup: Setup, deliver: Deliver) -> None:
        self._setup, self._deliver = setup, deliver
        #: For each group what each member has given and is not joined yet.
        self._given: dict[str, dict[int, deque[Message]]] = {
            name: {node: deque() for node in members} for name, members in setup.groups.items()
        }

    def give(self, message: Message, taken: Event[None]) -> None:
        """Deliver a message, or all that can be joined with it."""
        taken.set(None)
        if not message.operation.joined:
            arrival = Arrival(message.giver, message.words)
            for node in self._receivers(message):
                self._deliver(node, message.operation, arrival)
            return
        given = self._given[message.operation.group]
        given[message.giver].append(message)
        if all(given.values()):
            words = self._join([waiting.popleft() for waiting in given.values()])
            for node in self._receivers(message):
                self._deliver(node, message.operation, Arrival(None, words))

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
        turn = 1 << width - 1 if signed else 0
        result = _COMBINE[operator](rows ^ turn) ^ turn
        return tuple(int(word) & ((1 << width) - 1) for word in result)
