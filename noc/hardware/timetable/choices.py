"""What the routers of the timetable fabric choose in each phase, and the registers that say so."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from noc.hardware.gates import table_bit

#: In so many registers at most a choice of a router is, each for so many bits of a word, or more.
_COPIES, _PART = 4, 8


class Copies(NamedTuple):
    """Equal values, so that each has few bits of a word to reach."""

    #: For whether there is a word.
    valid: Value
    #: For parts of its payload, all as large as the first, or the last one smaller.
    parts: tuple[Value, ...]

    @classmethod
    def of(cls, values: Iterable[Value]) -> "Copies":
        """The first one is for whether there is a word, too."""
        parts = tuple(values)
        return cls(parts[0], parts)


class Column(NamedTuple):
    """What a router wants to know in each phase, for all of a word's bits or one thing."""

    phases: tuple[bool, ...]
    spread: bool


#: All that a router wants to know, by names.
Columns = Mapping[str, Column]


class Choices:
    """Registers that are 1 in some phases, in the router that wants to know.

    Parameters
    ----------
    m : Module
        Where they are.
    phase : Signal
        The number of the cycle in its round, which is counted here.
    round : int
        The cycles of a round.
    width : int
        Bits of a word.
    """

    def __init__(self, m: Module, phase: Signal, round: int, width: int) -> None:  # noqa: A002
        self._m, self._phase, self._round, self._width = m, phase, round, width
        self._never: list[Value] = []
        #: What was asked for, by its name.
        self.columns: dict[str, Column] = {}
        m.d.sync += phase.eq(phase + 1)
        if round < 1 << len(phase):
            with m.If(self.register("last", self.only(round - 1))):
                m.d.sync += phase.eq(0)

    def only(self, phase: int) -> list[bool]:
        """What is so in one phase."""
        return [each == phase for each in range(self._round)]

    def column(self, name: str, phases: Sequence[bool]) -> Value:
        """Whether this is one of some phases."""
        self.columns[name] = Column(tuple(phases), spread=False)
        return self.register(name, phases)

    def spread(self, name: str, phases: Sequence[bool]) -> Copies:
        """The same for all bits of a word.

        The wires from one register to all bits would limit the clock: tools put the same bit of all
        nodes side by side, and the bits of a node far apart. So each of several is beside its bits,
        and another one, a cycle before, is between them.
        """
        self.columns[name] = Column(tuple(phases), spread=True)
        before = self.register(f"{name}_before", ahead(phases, 1))
        count = max(1, min(_COPIES, self._width // _PART))
        return Copies.of(self.copy(name, before, phases[0], count))

    def register(self, name: str, phases: Sequence[bool]) -> Signal:
        """A register that is 1 in some phases."""
        result = Signal(name=name, init=phases[0])
        later = dict(enumerate(ahead(phases, 1)))
        self._m.d.sync += result.eq(table_bit(self._m, f"{name}_next", self._phase, later))
        return result

    def copy(self, name: str, before: Value, init: bool, count: int) -> list[Signal]:
        """Registers that all have what ``before`` was.

        Synthesis tools make one of registers that are equal: these differ in what would let them
        keep what they have, which never happens.
        """
        copies = []
        for number, keeps in enumerate(self._tell_apart(count)):
            copy = Signal(name=f"{name}_{number}", init=init)
            with self._m.If(~keeps):
                self._m.d.sync += copy.eq(before)
            copies.append(copy)
        return copies

    def _tell_apart(self, count: int) -> list[Value]:
        """What never happens, for each of so many registers but the first another.

        Each is from registers by one table at most: it is to be no part of the longest path.
        """
        if self._round == 1:
            return [Const(0)]
        if not self._never and count > 1:
            self._first = self.register("first", self.only(0))
        for number in range(len(self._never), count - 1):
            never = Signal(name=f"never_{number + 1}")
            if number < len(self._phase):
                self._m.d.comb += never.eq(self._first & self._phase[number])
            else:
                self._m.d.sync += never.eq(self._never[number - len(self._phase)])
            self._never.append(never)
        return [Const(0), *self._never[: count - 1]]


class ToldChoices(Choices):
    """The same from outside; only the phases are counted here.

    Parameters
    ----------
    m, phase, round, width
        As :class:`Choices` has them.
    told : mapping of str to Column
        What is told.
    bits : Value
        By what it is told, as :func:`places` says.
    """

    def __init__(
        self,
        m: Module,
        phase: Signal,
        round: int,  # noqa: A002
        width: int,
        *,
        told: Columns,
        bits: Value,
    ) -> None:
        super().__init__(m, phase, round, width)
        self._told = told
        self._bits = {name: bits[place] for name, place in places(told, width).items()}

    def column(self, name: str, phases: Sequence[bool]) -> Value:
        """Whether this is one of some phases."""
        return self._find(name, Column(tuple(phases), spread=False))

    def spread(self, name: str, phases: Sequence[bool]) -> Copies:
        """A bit for each of a word's, and the last one for whether there is one."""
        bits = self._find(name, Column(tuple(phases), spread=True))
        return Copies(bits[-1], tuple(bits[:-1]))

    def _find(self, name: str, column: Column) -> Value:
        """The bits of a column, which must be the one that is told by this name."""
        if self._told[name] != column:
            raise ValueError(f"{name}: {self._told[name]} is told, and {column} is needed")
        return self._bits[name]


def places(columns: Columns, width: int) -> dict[str, slice]:
    """Which bits each column has, where all are told: those that are spread one for each register.

    >>> places({"a": Column((True, False), False), "b": Column((False, True), True)}, 8)
    {'a': slice(0, 1, None), 'b': slice(1, 10, None)}
    """
    result, first = dict[str, slice](), 0
    for name, column in columns.items():
        bits = width + 1 if column.spread else 1
        result[name] = slice(first, first + bits)
        first += bits
    return result


def choices_signature(columns: Columns, width: int) -> wiring.Signature:
    """By which all columns are told, in every cycle."""
    bits = max((place.stop for place in places(columns, width).values()), default=0)
    return wiring.Signature({"bits": Out(bits)})


def ahead(phases: Sequence[bool], cycles: int) -> list[bool]:
    """What is so in the phase that is some cycles later."""
    return [phases[(phase + cycles) % len(phases)] for phase in range(len(phases))]
