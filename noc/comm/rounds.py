"""Programs on a network of the timetable fabric, whose nodes send by the clock, in rounds.

Stream and phase say for whom a word is, or into which sum it goes. Each node gives the words of its
messages when it is their turn. Words that are added up have to be of the same round: they wait
until all nodes have given theirs, as if a controller began a round then.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from noc.comm.session import Fields, Program, Session, WordSession
from noc.comm.setup import Setup, Slot
from noc.comm.world import Arrival, Event, Message
from noc.errors import CheckError, InputError, option

#: What a node offers by one of its inject streams.
Offer = tuple[int, int, int]


@dataclass
class _Parts:
    """The words of a message that are still to be taken, or to come; what happens with the last."""

    words: list[int]
    left: int
    done: Callable[[], None]

    def finish(self, index: int, word: int) -> None:
        """One of them is."""
        self.words[index] = word
        self.left -= 1
        if not self.left:
            self.done()


@dataclass
class _Lane:
    """Words of a node that go the same way: not before a turn, the index in a message, and that."""

    slot: Slot
    words: deque[tuple[int, int, _Parts]] = field(default_factory=deque)


class RoundSession(Session):
    """On a network whose cycles say what words are.

    An offer is a rank, an inject stream, and a word; of those that are taken rank and stream are
    told. A word that comes has ``data`` and its ``source``, or the number of its ``sum``.
    """

    def __init__(
        self, setup: Setup, program: Program, arguments: Sequence[Any], limit: int | None = None
    ) -> None:
        super().__init__(setup, program, arguments, limit)
        assert setup.rounds is not None
        self._setup, self._rounds = setup, setup.rounds
        #: The cycles in which nodes did not stand still.
        self._turn = 0
        #: By rank and key the words that have not left, and which of them may in a phase.
        self._lanes = [
            {key: _Lane(slot) for key, slot in slots.items()} for slots in self._rounds.gives
        ]
        self._in_phase: defaultdict[int, list[tuple[int, _Lane]]] = defaultdict(list)
        for rank, lanes in enumerate(self._lanes):
            for lane in lanes.values():
                self._in_phase[lane.slot.phase].append((rank, lane))
        self._offered: dict[tuple[int, int], _Lane] = {}
        #: By rank, and source or sum, the index of each word that is to come, and its message.
        self._expected: defaultdict[tuple[int, int], deque[tuple[int, _Parts]]] = defaultdict(deque)
        #: By rank the messages that wait for those of other nodes, and the next round of each sum.
        self._together: list[deque[tuple[Message, Event[None]]]] = [deque() for _ in setup.labels]
        self._free = [0] * self._rounds.sums

    def _offers(self) -> list[Offer]:
        offers = []
        self._offered = {}
        for rank, lane in self._in_phase[self._turn % self._rounds.length]:
            if lane.words and lane.words[0][0] <= self._turn:
                _, index, parts = lane.words[0]
                offers.append((rank, lane.slot.stream, parts.words[index]))
                self._offered[rank, lane.slot.stream] = lane
        return offers

    def end(
        self,
        taken: Sequence[tuple[int, int]],
        came: Sequence[tuple[int, Fields]],
        moved: bool = True,
    ) -> None:
        """By which streams words were taken, to which nodes some came, and whether all moved on."""
        for stream in taken:
            _, index, parts = self._offered[stream].words.popleft()
            parts.finish(index, parts.words[index])
        key = "sum" if self._rounds.sums else "source"
        for rank, fields in came:
            expected = self._expected[rank, fields[key]]
            if not expected:
                raise CheckError(f"{self._setup.name(rank)}: a word came that nobody gave")
            index, parts = expected.popleft()
            parts.finish(index, fields["data"])
        self._turn += moved
        self._go_on(idle=not taken and not came)

    def _carry(self, message: Message, taken: Event[None]) -> None:
        if message.operation.joined:
            self._together[message.giver].append((message, taken))
            if all(self._together):
                self._join([waiting.popleft() for waiting in self._together])
            return
        giver, node = message.giver, message.node
        lane = self._lanes[giver].get(node)
        if lane is None:
            raise self._no_word(message)
        leaving = self._leave(message, taken)
        lane.words.extend((0, index, leaving) for index in range(leaving.left))
        others = (rank for rank in range(self._setup.size) if rank != giver)
        for rank in others if node is None else (node,):
            self._expect(rank, message, giver, [giver] * len(message.words))

    def _no_word(self, message: Message) -> InputError:
        """A node gives what has no place in a round."""
        name, root = self._setup.name, self._setup.root
        if root is not None:
            asked = option("root", self._setup.labels[root])
            return InputError(
                f"{message.operation}: the root of this network is {name(root)}, by {asked}, and "
                "that of a program if it names none"
            )
        to = "others" if message.node is None else name(message.node)
        return InputError(
            f"{message.operation}: {name(message.giver)} has no word for {to} in a round of this "
            f"network; {option('exchange')} says who has"
        )

    def _join(self, messages: Sequence[tuple[Message, Event[None]]]) -> None:
        """Let messages of all nodes be added up, from the next round on."""
        rounds, (first, _) = self._rounds, messages[0]
        count, node = len(first.words), first.node
        used = [*range(rounds.sums)] if node is None else [node]
        # No word has its turn before the first cycle of its round.
        begin = max(-(-self._turn // rounds.length), *(self._free[each] for each in used))
        for each in used:
            self._free[each] = begin - (-count // len(used))
        sums = [used[index % len(used)] for index in range(count)]
        for message, taken in messages:
            leaving = self._leave(message, taken)
            for index, each in enumerate(sums):
                lane = self._lanes[message.giver][each]
                turns = begin + index // len(used) + lane.slot.after
                turn = lane.slot.phase + rounds.length * turns
                lane.words.append((turn, index, leaving))
        for rank in range(self._setup.size) if node is None else (node,):
            self._expect(rank, first, None, sums)

    def _leave(self, message: Message, taken: Event[None]) -> _Parts:
        return _Parts([*message.words], len(message.words), lambda: taken.set(None))

    def _expect(self, rank: int, message: Message, source: int | None, keys: Sequence[int]) -> None:
        """The words of a message are to come to a node, each from a source or as a sum."""

        def deliver() -> None:
            arrival = Arrival(source, tuple(parts.words))
            self._world.deliver(rank, message.operation, arrival)

        parts = _Parts([0] * len(keys), len(keys), deliver)
        for index, key in enumerate(keys):
            self._expected[rank, key].append((index, parts))


def begin_session(
    setup: Setup, program: Program, arguments: Sequence[Any], limit: int | None = None
) -> Session:
    """What runs a program on the networks that are described so."""
    kind = RoundSession if setup.rounds else WordSession
    return kind(setup, program, arguments, limit)
