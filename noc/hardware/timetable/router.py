"""The router of the timetable fabric: registers at the in-ports, a multiplexer at each out-port."""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

from amaranth.hdl import Cat, Const, Fragment, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.timetable.choices import (
    Choices,
    Columns,
    Copies,
    ToldChoices,
    ahead,
    choices_signature,
)
from noc.hardware.timetable.pacer import TOLD
from noc.programs.round_table import FEW, OWN, Choice, Register, RoundTable


class Word(NamedTuple):
    """A word, if ``valid`` says that there is one."""

    payload: Value
    valid: Value


def _list_members(
    table: RoundTable, width: int, loop: int | None, *, opened: bool
) -> dict[str, Any]:
    """The streams of a router, its phase, and whether it takes words."""
    link = stream.Signature(width, always_ready=True)
    inject = In(stream.Signature(width))
    if not table.gathers:
        inject = inject.array(len(table.inject_lanes))
    gives = table.gathers or table.inject_lanes
    return {
        **({"inject": inject} if gives else {}),
        **({"open": In(TOLD)} if gives and opened else {}),
        **({"eject": Out(link).array(len(table.lanes))} if table.lanes else {}),
        "phase": Out(table.phase_bits),
        **{f"in_{port}": In(link) for port in table.in_ports if port != loop},
        **{f"out_{port}": Out(link) for port, _ in table.sends if port != loop},
    }


def list_injects(router: Any, table: RoundTable) -> list[Any]:
    """The inject streams of a router, or of what is around one."""
    if table.gathers:
        return [router.inject]
    return [*router.inject] if table.inject_lanes else []


def _either(one: Word, other: Word) -> Word:
    """Two words of which one is zeros at least."""
    return Word(one.payload | other.payload, one.valid | other.valid)


def pass_ports(m: Module, outer: Any, inner: Any, *, but: Sequence[str]) -> None:
    """Join the ports of a router with those, called the same, of what is around it."""
    for name, member in inner.signature.members.items():
        if name in but:
            continue
        one, other = getattr(outer, name), getattr(inner, name)
        if member.is_port:
            m.d.comb += one.eq(other)
            continue
        for outside, inside in (
            zip(one, other, strict=True) if member.dimensions else [(one, other)]
        ):
            wiring.connect(m, wiring.flipped(outside), inside)


class RoundRouter(wiring.Component):
    """Sends in each cycle on each out-port what its table says, and gives all that comes away.

    Nothing waits, and no word says whose it is. A node that has no word when its turn comes gives
    none, so that a bit of each, ``valid``, says whether there is one. The exact behaviour is
    written in ``docs/rounds.md``.

    Parameters
    ----------
    table : RoundTable
        What to send in each phase.
    width : int
        Bits of a word.
    own_register : bool
        Whether a word of the node waits for the first phase in a register.
    usual : mapping
        What out-ports send where they choose nothing: in the first phase it is zero, and an own
        word is ORed to it.
    zeros : bool
        Whether an own word is zeros where it is not sent; from a register it always is.
    loop : int, optional
        The port by which it sends a sum to itself, which is no member.
    opened : bool
        Whether it takes words in some rounds only; whenever it may take one then, there is one.
        Where all words are for the node, those of its own wait in a register then.
    told : mapping, optional
        The ``columns`` of such a router, if a chooser outside has the registers that say what it
        chooses.

    Members
    -------
    inject : In(stream.Signature), or an array of it, or absent
        The words of the node; ``ready`` is 1 in the first phase of each round, or in the last where
        they wait. Where words are for one node each, a stream for each of the table's inject lanes,
        whose ``ready`` is 1 in the phases in which its out-port sends own words.
    eject : Out(stream.Signature(always_ready=True)).array, or absent
        The words that came, by the table's lanes, a cycle after they were on the link.
    phase : Out
        The number of this cycle in its round, from 0 on.
    open : In(TOLD), or absent
        With ``opened``: ``valid`` in the cycle before each phase of a round that has words.
    choices : In(signature), or absent
        What it is told.
    in_N, out_N : In(stream.Signature(always_ready=True)), Out
        The links, by the ports of the table.
    """

    def __init__(
        self,
        table: RoundTable,
        width: int,
        *,
        own_register: bool = False,
        usual: Mapping[int, Register] | None = None,
        zeros: bool = False,
        loop: int | None = None,
        opened: bool = False,
        told: Columns | None = None,
    ) -> None:
        self._opened, self._opens, self._told = opened, Signal(), told
        self.table, self._width, self._own_register = table, width, own_register
        self._usual, self._zeros = usual or {}, own_register or zeros
        # Whether an out-port ORs all words, zeros but for the one that it sends: where it chooses
        # from many that is smaller than to choose.
        self._or = own_register or (not table.gathers and table.inputs > FEW)
        members = _list_members(table, width, loop, opened=opened)
        if told is not None:
            members["choices"] = In(choices_signature(told, width))
        super().__init__(members)

    @property
    def columns(self) -> Columns:
        """What it wants to know in each phase: it is elaborated to see."""
        Fragment.get(self, None)  # type: ignore[no-untyped-call]
        return self._choices.columns

    def elaborate(self, platform: object) -> Module:
        """Count the phases, keep what came, and choose for each out-port."""
        m = Module()
        self._choices = self._begin(m)
        if "open" in self.signature.members:
            m.d.sync += self._opens.eq(self.open.valid)
        words, own = self._keep_arrived(m), self._take_own(m)
        for port, choices in self.table.sends:
            word = self._choose(m, port, choices, words, own.get(port))
            out = self._link(f"out_{port}")
            m.d.comb += [out.payload.eq(word.payload), out.valid.eq(word.valid)]
        return m

    def _begin(self, m: Module) -> Choices:
        """Count the phases, and find what is chosen in each."""
        here = m, self.phase, self.table.round, self._width
        if self._told is None:
            return Choices(*here)
        return ToldChoices(*here, told=self._told, bits=self.choices.bits)

    def _link(self, name: str) -> Any:
        """The stream of a port."""
        return getattr(self, name)

    def _keep_arrived(self, m: Module) -> dict[Register, Word]:
        """The words that came, of all ages that are chosen from."""
        words = {}
        for port in self.table.in_ports:
            link = self._link(f"in_{port}")
            before = Word(link.payload, link.valid)
            for age in range(1, self.table.depth(port) + 1):
                register = Register(port, age)
                name = f"word_{port}_{age}"
                word = Word(*self._register(name))
                if register in self._usual.values():
                    # After a reset comes the first phase.
                    word = word._replace(payload=Signal(self._width, name=name))
                m.d.sync += [word.payload.eq(before.payload), word.valid.eq(before.valid)]
                before = words[register] = word
        for number, port in enumerate(self.table.lanes):
            newest, lane = words[Register(port, 1)], self.eject[number]
            valid: Value = newest.valid
            if self.table.takes is not None:
                taken = self.table.takes[self.table.in_ports.index(port)]
                # What is on the link in a phase is here in the next one.
                valid &= self._choices.column(f"takes_{port}", ahead(taken, -1))
            m.d.comb += [lane.payload.eq(newest.payload), lane.valid.eq(valid)]
        return words

    def _take_own(self, m: Module) -> dict[int, Word]:
        """For each out-port that sends own words the one that the node has for it."""
        if self.table.gathers:
            return dict.fromkeys((port for port, _ in self.table.sends), self._take_one(m))
        own = {}
        for number, port in enumerate(self.table.inject_lanes):
            gives = self._gives(m, port)
            lane = self.inject[number]
            m.d.comb += lane.ready.eq(gives)
            own[port] = self._gate(Word(lane.payload, lane.valid), Copies.of([gives]))
        return own

    def _gives(self, m: Module, port: int) -> Value:
        """Whether an own word may leave by an out-port."""
        return self._while_open(self._choices.column(f"gives_{port}", self.table.gives(port)))

    def _while_open(self, value: Value) -> Value:
        """The same in rounds that have words, else 0."""
        return value & self._opens if self._opened else value

    def _take_one(self, m: Module) -> Word:
        """The node's word in the first phase; where it is ORed to others, zeros in all others."""
        phases = self._choices.only(self.table.round - 1 if self._own_register else 0)
        word = Word(self.inject.payload, self.inject.valid)
        if self._zeros:
            copies = self._choices.spread("taken", phases)
        else:
            copies = Copies.of([self._choices.column("taken", phases)])
        taken = Copies(self._while_open(copies.valid), tuple(map(self._while_open, copies.parts)))
        m.d.comb += self.inject.ready.eq(taken.valid)
        if not self._own_register:
            return self._masked(word, taken) if self._zeros else word
        waits = Word(*self._register("own"))
        if self._told is not None:
            # Each bit would have a reset of its own, and chips have few of them.
            m.d.sync += waits.payload.eq(word.payload & Cat(taken.parts))
            m.d.sync += waits.valid.eq(word.valid & taken.valid)
            return waits
        m.d.sync += [waits.payload.eq(0), waits.valid.eq(word.valid & taken.valid)]
        for bits, each in self._parts(taken):
            with m.If(each):
                m.d.sync += waits.payload[bits].eq(word.payload[bits])
        return waits

    def _choose(
        self,
        m: Module,
        port: int,
        choices: Sequence[Choice],
        words: Mapping[Register, Word],
        own: Word | None,
    ) -> Word:
        """What an out-port sends: the node's own word where no other is chosen.

        To choose the own word takes no bit, as all ports send it in the same phase: where words
        are ORed, it is zeros in all others, for all ports at once.
        """
        usual = self._usual.get(port)
        others = {each for each in self.table.added(port) if each.in_port != OWN} - {usual}
        columns = {
            register: (f"choice_{port}_{number}", [choice == register for choice in choices])
            for number, register in enumerate(sorted(others))
        }
        if own is None:
            register = min(columns)
            name, column = columns.pop(register)
            # Bits are gated only where they are ORed.
            own = self._gate(words[register], self._pass(name, column))
        chosen = {register: self._choices.spread(*each) for register, each in columns.items()}
        # A port that is parallel to another one may have nothing to send in the first phase.
        silent = self._zeros and choices[0] is None
        word = Word(Const(0, self._width), Const(0)) if silent else own
        if usual is not None:
            word = _either(word, words[usual])
        if self._or and usual is None:
            gated = [self._gate(words[register], copies) for register, copies in chosen.items()]
            # Two of them fill a table of four inputs.
            pairs = [gated[first : first + 2] for first in range(0, len(gated), 2)]
            word = reduce(_either, (reduce(_either, pair) for pair in pairs), word)
        else:
            for register, copies in chosen.items():
                word = self._choice(words[register], word, copies)
        # Where each port has own words, these are gated.
        if None in choices and not (self._zeros and usual is None) and self.table.gathers:
            sends = [choice is not None for choice in choices]
            word = word._replace(valid=word.valid & self._choices.column(f"sends_{port}", sends))
        return word

    def _pass(self, name: str, phases: Sequence[bool]) -> Copies:
        """When a word passes: for all of its bits, if words are to be ORed."""
        if self._or:
            return self._choices.spread(name, phases)
        return Copies.of([self._choices.column(name, phases)])

    def _gate(self, word: Word, passes: Copies) -> Word:
        """A word in some phases, in others none; zeros then, if words are to be ORed."""
        if self._or:
            return self._masked(word, passes)
        return word._replace(valid=word.valid & passes.valid)

    def _choice(self, word: Word, other: Word, choices: Copies) -> Word:
        """A word if it is chosen, else the other."""
        parts = (
            Mux(choice, word.payload[bits], other.payload[bits])
            for bits, choice in self._parts(choices)
        )
        return Word(Cat(parts), Mux(choices.valid, word.valid, other.valid))

    def _masked(self, word: Word, passes: Copies) -> Word:
        """A word while it passes, else zeros."""
        return self._choice(word, Word(Const(0, self._width), Const(0)), passes)

    def _parts(self, copies: Copies) -> Iterator[tuple[slice, Value]]:
        """For each of some equal values the bits of a word that it is for."""
        part = -(-self._width // len(copies.parts))
        for first, copy in zip(range(0, self._width, part), copies.parts, strict=True):
            yield slice(first, first + part), copy

    def _register(self, name: str) -> tuple[Signal, Signal]:
        """For a word; after a reset there is none."""
        return Signal(self._width, name=name, reset_less=True), Signal(name=f"{name}_valid")
