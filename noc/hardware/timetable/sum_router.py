"""The router of the timetable fabric where words are added up on their way."""

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream

from noc.hardware.combine import COMBINE, neutral
from noc.hardware.timetable.choices import Columns
from noc.hardware.timetable.router import RoundRouter, Word
from noc.programs.operators import OPERATORS
from noc.programs.round_table import OWN, Choice, Register, RoundTable


class SumRouter(RoundRouter):
    """A router that adds words up: its own, and those that came, by an operator.

    What is no word is neutral, in all registers and on all links, so that it can be added, too;
    with an operator of a user's it is left out. Words that no phase adds up together share the
    input of an adder, where one of them is chosen.
    """

    def __init__(
        self,
        table: RoundTable,
        width: int,
        *,
        operator: str,
        loop: int,
        opened: bool = False,
        told: Columns | None = None,
    ) -> None:
        super().__init__(table, width, loop=loop, opened=opened, told=told)
        self._operator, self._loop = operator, loop
        self._neutral = neutral(operator, width)
        self._own_link = stream.Signature(width, always_ready=True).create(path=("whole",))

    def _link(self, name: str) -> Any:
        """The stream of a port; the loop's is inside."""
        return self._own_link if name.endswith(f"_{self._loop}") else super()._link(name)

    def _register(self, name: str) -> tuple[Signal, Signal]:
        """For a word; what is none is neutral."""
        return Signal(self._width, name=name, init=self._neutral), Signal(name=f"{name}_valid")

    def _take_own(self, m: Module) -> dict[int, Word]:
        """Own words wait in registers, so that no adder waits for what is outside."""
        self._count_rounds(m)
        own = {}
        for port, word in super()._take_own(m).items():
            payload, valid = self._register(f"own_{port}")
            m.d.sync += [payload.eq(self._neutral), valid.eq(word.valid)]
            with m.If(word.valid):
                m.d.sync += payload.eq(word.payload)
            own[port] = Word(payload, valid)
        return own

    def _gives(self, m: Module, port: int) -> Value:
        """Whether an own word may leave by an out-port: not in the first rounds, if it has to wait.

        Words of others for the same sum have a longer way. Of a round without words none do.
        """
        waits = (self.table.waits or ())[self.table.inject_lanes.index(port)]
        gives = self.table.gives(port)
        result: Value = Const(0)
        for rounds in sorted({wait for wait, each in zip(waits, gives, strict=True) if each}):
            phases = [each and wait == rounds for wait, each in zip(waits, gives, strict=True)]
            chosen = self._choices.column(f"gives_{port}_{rounds}", phases)
            result |= chosen & self._over[rounds - 1] if rounds else self._while_open(chosen)
        return result

    def _count_rounds(self, m: Module) -> None:
        """For each of some rounds before this one whether it was there, and had words."""
        self._over = Signal(
            max((wait for lane in self.table.waits or () for wait in lane), default=0)
        )
        with m.If(self.phase == self.table.round - 1):
            m.d.sync += self._over.eq(Cat(self._while_open(Const(1, 1)), self._over))

    def _choose(
        self,
        m: Module,
        port: int,
        choices: Sequence[Choice],
        words: Mapping[Register, Word],
        own: Word | None,
    ) -> Word:
        """The sum of what an out-port adds up in each phase."""
        built_in = self._operator in COMBINE
        words = words if own is None else {**words, Register(OWN, 1): own}
        operands = self.table.operands(port) if built_in else [[r] for r in self.table.added(port)]
        parts = [
            self._operand(m, f"{port}_{number}", port, registers, words)
            for number, registers in enumerate(operands)
        ]
        # Those of a user are added in their order, others with few behind each other.
        add = partial(self._add, m)
        while built_in and len(parts) > 2:
            parts = [reduce(add, parts[first : first + 2]) for first in range(0, len(parts), 2)]
        return reduce(add, parts)

    def _operand(
        self,
        m: Module,
        name: str,
        port: int,
        registers: Sequence[Register],
        words: Mapping[Register, Word],
    ) -> Word:
        """That of some words which is chosen; neutral if none is."""
        payload, valid = Word(Const(self._neutral, self._width), Const(0))
        for register in registers:
            word, used = words[register], self.table.used(port, register)
            # Own words come first, and there is none but in its phase.
            if register.in_port == OWN or all(used):
                payload, valid = word.payload, word.valid
            else:
                called = f"choice_{name}_{register.in_port}_{register.age}"
                choice = self._choices.column(called, used)
                payload = Mux(choice, word.payload, payload)
                valid = Mux(choice, word.valid, valid)
        return Word(payload, valid)

    def _add(self, m: Module, one: Word, other: Word) -> Word:
        """Two words as one."""
        valid = one.valid | other.valid
        if self._operator in COMBINE:
            return Word(COMBINE[self._operator](one.payload, other.payload), valid)
        build = OPERATORS[self._operator].build
        assert build is not None
        part: Any = build(self._width)
        m.submodules += part
        m.d.comb += [part.a.eq(one.payload), part.b.eq(other.payload)]
        alone = Mux(one.valid, one.payload, other.payload)
        return Word(Mux(one.valid & other.valid, part.o, alone), valid)
