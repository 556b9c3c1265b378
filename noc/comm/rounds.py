"""Programs on a network of the timetable fabric, whose nodes send by the clock, in rounds.

Stream and phase say for whom a word is, or into which sum it goes. Each node gives the words of its
messages when it is their turn. Words that are added up have to be of the same round: they wait
until all nodes have given theirs, as if a controller began a round then. Where the network itself
waits for the words of all nodes, those give void words when nothing else can go on.
"""

from abc import abstractmethod
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
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


def _void() -> _Parts:
    """A word that nobody asked for, to be taken or to come."""
    return _Parts([0], 1, lambda: None)


@dataclass
class _Lane:
    """Words of a node that go the same way: not before a turn, the index in a message, and that."""

    slot: Slot
    words: deque[tuple[int, int, _Parts]] = field(default_factory=deque)
    #: How many there have been.
    given: int = 0

    def add(self, turn: int, index: int, parts: _Parts) -> None:
        """One more."""
        self.words.append((turn, index, parts))
        self.given += 1


class RoundSession(Session):
    """On a network whose cycles say what words are.

    An offer is a rank, an inject stream, and a word; of those that are taken rank and stream are
    told. A word that comes has ``data`` and its ``source``, or the number of its ``sum``.
    """

    def __init__(self, setup: Setup, *rest: Any) -> None:
        super().__init__(setup, *rest)
        assert setup.rounds is not None
        self._setup, self._rounds = setup, setup.rounds
        #: The cycles in which nodes did not stand still.
        self._turn = 0
        #: By rank and key the words that have not left.
        self._lanes = [
            {key: _Lane(slot) for key, slot in slots.items()} for slots in self._rounds.gives
        ]
        self._offered: dict[tuple[int, int], _Lane] = {}
        #: By rank, and source or sum, the index of each word that is to come, and its message.
        self._expected: defaultdict[tuple[int, int], deque[tuple[int, _Parts]]] = defaultdict(deque)
        #: By rank the messages that wait for those of other nodes, and the next round of each sum.
        self._together: list[deque[tuple[Message, Event[None]]]] = [deque() for _ in setup.labels]
        self._free = [0] * self._rounds.sums
        #: How many words have left by each stream of a rank, and how many have come.
        self._left: Counter[tuple[int, int]] = Counter()
        self._came = 0

    @abstractmethod
    def _turns(self) -> Iterable[tuple[int, _Lane]]:
        """The ranks and lanes whose words may leave in this cycle."""

    def _offers(self) -> list[Offer]:
        offers, self._offered = [], {}
        for rank, lane in self._turns():
            if lane.words:
                _, index, parts = lane.words[0]
                offers.append((rank, lane.slot.stream, parts.words[index]))
                self._offered[rank, lane.slot.stream] = lane
        return offers

    def _receivers(self, rank: int, key: int | None) -> list[int]:
        """Who gets a word that is for a node, or for all others."""
        return [r for r in range(self._setup.size) if r != rank] if key is None else [key]

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
            # Where there is one sum only, words do not tell its number.
            expected = self._expected[rank, fields.get(key, 0)]
            if not expected:
                raise CheckError(f"{self._setup.name(rank)}: a word came that nobody gave")
            index, parts = expected.popleft()
            parts.finish(index, fields["data"])
        self._left.update(taken)
        self._came += len(came)
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
        for index in range(leaving.left):
            lane.add(0, index, leaving)
        for rank in self._receivers(giver, node):
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
                lane.add(turn, index, leaving)
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


class TimedSession(RoundSession):
    """Words leave by the clock, each in its phase."""

    def __init__(self, setup: Setup, *rest: Any) -> None:
        super().__init__(setup, *rest)
        self._in_phase: defaultdict[int, list[tuple[int, _Lane]]] = defaultdict(list)
        for rank, lanes in enumerate(self._lanes):
            for lane in lanes.values():
                self._in_phase[lane.slot.phase].append((rank, lane))

    def _turns(self) -> Iterator[tuple[int, _Lane]]:
        for rank, lane in self._in_phase[self._turn % self._rounds.length]:
            if lane.words and lane.words[0][0] <= self._turn:
                yield rank, lane


class CompleteSession(RoundSession):
    """Each stream offers the words of round after round, which has those of all nodes."""

    def __init__(self, setup: Setup, *rest: Any) -> None:
        super().__init__(setup, *rest)
        #: By rank and stream its lanes as they take turns in a round.
        self._streams: defaultdict[tuple[int, int], list[_Lane]] = defaultdict(list)
        for rank, lanes in enumerate(self._lanes):
            for lane in sorted(lanes.values(), key=lambda lane: (lane.slot.after, lane.slot.phase)):
                self._streams[rank, lane.slot.stream].append(lane)
        #: How many words come in a round, where they are not added up.
        self._copies = sum(
            len(self._receivers(rank, key))
            for rank, lanes in enumerate(self._lanes)
            for key in lanes
        )

    def _turns(self) -> Iterator[tuple[int, _Lane]]:
        if self._idle_cycles and not self._rounds.sums:
            # Whoever waits, waits for words that have not been given, if all others have come.
            whole = min(lane.given for lanes in self._lanes for lane in lanes.values())
            if self._came == whole * self._copies:
                for rank, key in self._fill().elements():
                    for receiver in self._receivers(rank, key):
                        self._expected[receiver, rank].append((0, _void()))
        for (rank, stream), lanes in self._streams.items():
            yield rank, lanes[self._left[rank, stream] % len(lanes)]

    def _fill(self) -> "Counter[tuple[int, int | None]]":
        """Give void words for the last round that has others: by rank and key how many."""
        last = max(lane.given for lanes in self._lanes for lane in lanes.values())
        missing = Counter[tuple[int, int | None]]()
        for rank, lanes in enumerate(self._lanes):
            for key, lane in lanes.items():
                missing[rank, key] = last - lane.given
                while lane.given < last:
                    lane.add(0, 0, _void())
        return missing

    def _join(self, messages: Sequence[tuple[Message, Event[None]]]) -> None:
        super()._join(messages)
        node = messages[0][0].node
        for key, count in {key: count for (_, key), count in self._fill().items()}.items():
            assert key is not None
            for rank in range(self._setup.size) if node is None else (key,):
                self._expected[rank, key].extend((0, _void()) for _ in range(count))


def begin_session(
    setup: Setup, program: Program, arguments: Sequence[Any], limit: int | None = None
) -> Session:
    """What runs a program on the networks that are described so."""
    kind: type[Session] = WordSession
    if setup.rounds:
        kind = CompleteSession if setup.rounds.complete else TimedSession
    return kind(setup, program, arguments, limit)
