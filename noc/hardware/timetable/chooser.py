"""What chooses for all routers of the timetable fabric that have the same table."""

from typing import Any

from amaranth.hdl import Cat, EnableInserter, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.timetable.choices import Choices, Columns, ahead, choices_signature
from noc.hardware.timetable.pacer import TOLD
from noc.programs.round_table import RoundTable

#: For so many parts of a word a choice has a register of its own first.
_PARTS = 4


class Chooser(wiring.Component):
    """Tells routers in each phase what they choose.

    For each bit of a word a choice has a register, which all routers share: where tools put the
    same bit of all nodes side by side, it is among those that need it. Two registers before it
    bring it there, so that no wire need be long.

    Parameters
    ----------
    table : RoundTable
        That of the routers.
    columns : mapping of str to Column
        What they want to know.
    width : int
        Bits of a word.
    paced : bool
        Whether it stands still at times, as the routers do.

    Members
    -------
    choices : Out(signature)
        The bits of all columns, from the first phase on.
    pace : In(TOLD), or absent
        In the cycles in which it is ``valid``, the next phase follows.
    """

    def __init__(
        self, table: RoundTable, columns: Columns, width: int, *, paced: bool = False
    ) -> None:
        self._table, self._columns, self._width, self._paced = table, columns, width, paced
        members = {"choices": Out(choices_signature(columns, width))}
        super().__init__({**members, **({"pace": In(TOLD)} if paced else {})})

    def elaborate(self, platform: object) -> Any:
        """Count the phases, look up what is chosen some cycles later, and spread it."""
        m = Module()
        phase = Signal(self._table.phase_bits)
        choices, bits = Choices(m, phase, self._table.round, self._width), list[Value]()
        # The last part may be smaller.
        ends = self._width + 1
        most = -(-ends // _PARTS)
        sizes = [min(most, ends - first) for first in range(0, ends, most)]
        for name, (phases, spread) in self._columns.items():
            if not spread:
                bits.append(choices.register(name, phases))
                continue
            first = choices.register(f"{name}_first", ahead(phases, 2))
            parts = choices.copy(name, first, ahead(phases, 1)[0], len(sizes))
            for number, (part, size) in enumerate(zip(parts, sizes, strict=True)):
                bits += choices.copy(f"{name}_{number}", part, phases[0], size)
        m.d.comb += self.choices.bits.eq(Cat(bits))
        return EnableInserter(self.pace.valid)(m) if self._paced else m
