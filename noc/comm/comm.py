"""What the program of a node talks to: its rank, its groups, and operations to await."""

import operator
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from noc.comm.setup import exchange_for
from noc.comm.world import ANY, Event, Message, Task, World
from noc.errors import InputError, option
from noc.programs.operations import ALL, Operation
from noc.programs.operators import BUILT_IN, OPERATORS

#: What words become: a row of whole numbers.
Array: TypeAlias = np.ndarray[tuple[int], np.dtype[Any]]

#: What a program can give: a whole number, or a row of them.
Values: TypeAlias = int | Sequence[int] | np.ndarray[Any, np.dtype[Any]]


def encode(values: Values, width: int, *, signed: bool) -> tuple[int, ...]:
    """The words of some values.

    >>> encode([1, -1], 8, signed=True)
    (1, 255)
    """
    try:
        numbers = [*map(operator.index, values if isinstance(values, Iterable) else [values])]
    except TypeError:
        raise InputError(
            f"a whole number or a row of them is needed, not {type(values).__name__} {values!r}"
        ) from None
    least, end = (-(1 << width - 1), 1 << width - 1) if signed else (0, 1 << width)
    for number in numbers:
        if not least <= number < end:
            hint = "" if signed or number >= 0 else "; comm.signed takes numbers with a sign"
            fit = f"{least} to {end - 1} are allowed{hint}"
            raise InputError(f"{number} does not fit a word of {width} bits: {fit}")
    if not numbers:
        raise InputError("a message has at least one word")
    return tuple(number & ((1 << width) - 1) for number in numbers)


def decode(words: Sequence[int], width: int, *, signed: bool) -> Array:
    """The values of some words, in int64 where all numbers of the width fit.

    >>> decode([1, 255], 8, signed=True).tolist()
    [1, -1]
    """
    dtype: Any = np.int64 if width + (not signed) <= 64 else np.uint64 if width == 64 else object
    if signed:
        sign = 1 << width - 1
        words = [(word ^ sign) - sign for word in words]
    return np.array(words, dtype=dtype)


#: The name of the operator, for ``op``.
SUM, MIN, MAX, MIN_SIGNED, MAX_SIGNED, BAND, BOR, BXOR = BUILT_IN

T = TypeVar("T")


class Received(NamedTuple):
    """A message and the node that sent it."""

    source: int
    values: Array


class Comm:
    """What the program of one node can do in one group.

    Operations are awaited. What is given leaves the node in the order of the calls. Values are
    whole numbers without a sign, as the width of the network allows; what comes is an array.
    ``rank`` is the number of the node, as in the manifest and in words.
    """

    def __init__(self, world: World, rank: int, group: str = ALL, with_sign: bool = False) -> None:
        self._world, self.rank, self._group, self._signed = world, rank, group, with_sign
        #: The nodes of the group, by rank, ascending.
        self.members = world.setup.groups[group]

    @property
    def size(self) -> int:
        """The number of nodes of the group."""
        return len(self.members)

    @property
    def label(self) -> str:
        """The name of the node."""
        return self._world.setup.labels[self.rank]

    def rank_of(self, label: str) -> int:
        """The rank of the node with a label."""
        labels = self._world.setup.labels
        if label not in labels:
            raise self._error(f"rank_of({label!r}): there is no such node")
        return labels.index(label)

    @property
    def width(self) -> int:
        """Bits of a word."""
        return self._world.setup.width

    @property
    def cycle(self) -> int:
        """The cycle in which the program is; the first is 0."""
        return self._world.loop.cycle

    @property
    def signed(self) -> "Comm":
        """The same, for values with a sign, and with their order in ``MIN`` and ``MAX``."""
        return Comm(self._world, self.rank, self._group, with_sign=True)

    def group(self, name: str) -> "Comm":
        """The same for another group; nodes keep their ranks."""
        groups = self._world.setup.groups
        if name not in groups:
            raise self._error(f"there is no group {name!r}; the groups are {', '.join(groups)}")
        return Comm(self._world, self.rank, name, self._signed)

    def start(self, coroutine: Coroutine[Any, None, T]) -> Task[T]:
        """Begin an operation, or a coroutine of one's own, and go on; await the task later."""
        return self._world.loop.start(coroutine, self._world.setup.name(self.rank))

    async def sleep(self, cycles: int) -> None:
        """Go on some cycles later."""
        if cycles < 1:
            raise self._error(f"sleep({cycles}): at least one cycle is needed")
        await self._world.loop.sleep(cycles)

    async def send(self, values: Values, dest: int) -> None:
        """Send to one node; goes on when the words have left this one."""
        await self._give(self._find("send"), self._encode(values), self._member(dest, "dest"))

    async def recv(self, source: int | None = ANY) -> Received:
        """The next message sent to this node, by a node or by any."""
        return await self._receive(self._find("send"), source)

    async def publish(self, values: Values) -> None:
        """Send to all nodes of the group; goes on when the words have left this one."""
        await self._give(self._find("broadcast", "multicast"), self._encode(values))

    async def published(self, source: int | None = ANY) -> Received:
        """The next message that was published; all nodes see them in one order."""
        return await self._receive(self._find("broadcast", "multicast"), source)

    async def bcast(self, values: Values | None = None, root: int | None = None) -> Array:
        """What the root gives, at every node; without a root the first of the group is it."""
        operation, root = self._find("broadcast", "multicast"), self._root(root)
        if self.rank == root:
            words = self._encode(self._needed(values))
            taken = self._give(operation, words)
            if not self._world.setup.own_words:
                await taken
                return self._decode(words)
        return (await self._receive(operation, root)).values

    async def scatter(
        self, values: Sequence[Values] | None = None, root: int | None = None
    ) -> Array:
        """One message of the root for each member; the part of this node."""
        operation, root = self._find("scatter"), self._root(root)
        if self.rank != root:
            return (await self._receive(operation, root)).values
        parts = self._parts("scatter", self._needed(values))
        own, taken = self._encode(parts[self.members.index(root)]), None
        for node, part in zip(self.members, parts, strict=True):
            if node != root:
                taken = self._give(operation, self._encode(part), node)
        if taken is not None:
            await taken
        return self._decode(own)

    async def all_to_all(self, values: Sequence[Values]) -> list[Array]:
        """What each member has for this node, in their order; ``values`` are a message for each."""
        operation, parts = self._find("send"), self._parts("all_to_all", values)
        self._check_member(operation)
        words = {node: self._encode(part) for node, part in zip(self.members, parts, strict=True)}
        own, events = words.pop(self.rank), dict[int, Event[Any]]()
        for node, message in words.items():
            self._give(operation, message, node)
            events[node] = self._world.receive(self.rank, operation, node)
        came = [(await events[n]).words if n in events else own for n in self.members]
        return [self._decode(each) for each in came]

    async def gather(self, values: Values, root: int | None = None) -> list[Array] | None:
        """At the root what each member gave, in their order; None at others."""
        operation, root = self._find("gather"), self._root(root)
        if self.rank != root:
            await self._give(operation, self._encode(values), root)
            return None
        return await self._collect(operation, self._encode(values))

    async def all_gather(self, values: Values) -> list[Array]:
        """What each member gives, in their order, at every member."""
        operation, words = self._find("all_gather"), self._encode(values)
        self._check_member(operation)
        taken = self._give(operation, words)
        result = await self._collect(operation, words)
        await taken
        return result

    async def reduce(self, values: Values, op: str = SUM, root: int | None = None) -> Array | None:
        """At the root the values of all members combined, word by word; None at others."""
        operation, root = self._find_join("reduce", op), self._root(root)
        taken = self._give(operation, self._encode(values, operation), root)
        if self.rank == root:
            return await self._result(operation)
        await taken
        return None

    async def all_reduce(self, values: Values, op: str = SUM) -> Array:
        """The values of all members combined, word by word, at every member."""
        operation = self._find_join("all_reduce", op)
        self._give(operation, self._encode(values, operation))
        return await self._result(operation)

    async def reduce_scatter(self, values: Sequence[Values], op: str = SUM) -> Array:
        """What all members have for this node, combined; ``values`` are a message for each."""
        operation, parts = self._find_join("reduce", op), self._parts("reduce_scatter", values)
        for node, part in zip(self.members, parts, strict=True):
            self._give(operation, self._encode(part, operation), node)
        return await self._result(operation)

    async def barrier(self) -> None:
        """Wait until all members do."""
        operation = self._find("barrier")
        self._give(operation, (0,))
        await self._world.receive_result(self.rank, operation)

    def _check_member(self, operation: Operation) -> None:
        """Refuse a node that is not in the group."""
        if self.rank not in self.members:
            raise self._error(f"{operation}: is for the nodes of the group only")

    def _parts(self, call: str, values: Sequence[Values]) -> Sequence[Values]:
        """A message for each member."""
        if not isinstance(values, Sequence | np.ndarray):
            raise self._error(
                f"{call}: a row of messages is needed, one for each node, not {values!r}"
            )
        if len(values) != self.size:
            raise self._error(f"{call}: {len(values)} messages for {self.size} nodes")
        return values

    async def _collect(self, operation: Operation, own: tuple[int, ...]) -> list[Array]:
        """A message of each member; this node's own comes back by a network that returns it."""
        back = self._world.setup.own_words and not operation.to_node
        events = {
            node: self._world.receive(self.rank, operation, node)
            for node in self.members
            if back or node != self.rank
        }
        words = [(await events[n]).words if n in events else own for n in self.members]
        return [self._decode(each) for each in words]

    async def _receive(self, operation: Operation, source: int | None) -> Received:
        if source is not ANY and source not in range(self._world.setup.size):
            raise self._error(f"source={source}: there is no such node")
        arrival = await self._world.receive(self.rank, operation, source)
        assert arrival.source is not None
        return Received(arrival.source, self._decode(arrival.words))

    async def _result(self, operation: Operation) -> Array:
        arrival = await self._world.receive_result(self.rank, operation)
        return self._decode(arrival.words, operation)

    def _give(
        self, operation: Operation, words: tuple[int, ...], node: int | None = None
    ) -> Event[None]:
        if len(words) > 1 and not self._world.setup.marks_last:
            raise self._error(
                "a network of broadcasts and barriers alone carries messages of one word: add "
                f"send to {option('operations')}"
            )
        return self._world.give(Message(operation, self.rank, words, node))

    def _encode(self, values: Values, operation: Operation | None = None) -> tuple[int, ...]:
        try:
            return encode(values, self.width, signed=self._has_sign(operation))
        except InputError as error:
            raise self._error(error.message) from None

    def _decode(self, words: Sequence[int], operation: Operation | None = None) -> Array:
        return decode(words, self.width, signed=self._has_sign(operation))

    def _has_sign(self, operation: Operation | None) -> bool:
        return self._signed or (operation is not None and operation.operator.endswith("_signed"))

    def _find_join(self, kind: str, op: str) -> Operation:
        """The operation with an operator; the order of numbers is theirs."""
        if op not in OPERATORS:
            raise self._error(f"op={op!r}: the operators are {', '.join(OPERATORS)}")
        if self._signed and op in (MIN, MAX):
            op += "_signed"
        return self._find(f"{kind}:{op}")

    def _find(self, *names: str) -> Operation:
        """The first of some operations of the group that the network has."""
        known = self._world.setup.operations
        at = "" if self._group == ALL else f"@{self._group}"
        for name in names:
            if known is None or name + at in known:
                kind, _, operator = name.partition(":")
                return Operation(kind, operator, self._group)
        asked, has = f"the network was built without {names[0]}{at}", ", ".join(known or ())
        if self._world.setup.rounds:
            kind, *op = names[0].split(":")
            exchange = ":".join([exchange_for(kind), *op])
            raise self._error(
                f"{asked}; it is for {has}: build it with {option('exchange', exchange)}"
                if exchange_for(kind)
                else f"{asked}; it is for {has}: leave out {option('fabric', 'timetable')}"
            )
        raise self._error(f"{asked}: add it to {option('operations')}, which has {has}")

    def _root(self, root: int | None) -> int:
        if root is None:
            usual = self._world.setup.root
            return usual if usual in self.members else self.members[0]
        return self._member(root, "root")

    def _member(self, node: int, argument: str) -> int:
        if node not in self.members:
            shown = "" if self._group == ALL else f" in the group {self._group!r}"
            raise self._error(f"{argument}={node}: there is no such node{shown}")
        return node

    def _needed(self, values: Any) -> Any:
        if values is None:
            raise self._error("the root has to give values")
        return values

    def _error(self, what: str) -> InputError:
        return InputError(f"{self._world.setup.name(self.rank)}: {what}")
