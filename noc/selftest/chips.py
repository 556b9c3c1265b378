"""The self-test of a network on several chips: that of each, and all of them, to simulate.

Each chip has a clock and a report of its own and knows of the others only by the words that come.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.chips import Cut
from noc.chips.cut import DOWN, FAULTY, chip_name
from noc.emit.chips import (
    DELAY,
    SLOWER,
    WRONG_BITS,
    ChipFiles,
    clocks_that_differ,
    is_pin,
    wire_module,
    write_wires,
)
from noc.emit.module import Module as Verilog
from noc.emit.module import convert, write_instance, write_module
from noc.emit.verilog import common_ports
from noc.hardware import Assembly
from noc.selftest.conductor import Signals, count_events
from noc.selftest.giver import Giver
from noc.selftest.judge import Judge
from noc.selftest.report import Result, results, template
from noc.selftest.selftest import GIVER, JUDGE, TOP, SelfTest, Settings, header, lengths
from noc.selftest.simulate import SIMULATED, simulate_files
from noc.selftest.watch import WATCHED_EVENTS, Watch
from noc.selftest.words import Words

#: As on boards, but with short rounds. Chips miss cycles, which the serial line has to bear.
CHIPS_SIMULATED = replace(SIMULATED, cycles=20_000, divisor=8)


#: How often each stream could be heard one after the other in a round.
_SURELY = 2


class ChipWords(Words):
    """The words of a chip's nodes.

    Who judges them does not know how many were sent. A link has up to 128 words in its memories: if
    it lost these, their numbers show it.
    """

    apart = True
    most_count_bits = 8

    def __init__(self, cut: Cut, chip: int) -> None:
        super().__init__(cut.design)
        self._members, self._rate = cut.division.members[chip], cut.rate

    @property
    def injects(self) -> int:
        """Inject streams of the chip."""
        return len(self._members)

    @property
    def ejects(self) -> int:
        """Its eject streams."""
        return len(self._members)

    @property
    def own_lap(self) -> int:
        """Words that its nodes give in a lap."""
        own = set(self._members)
        return sum(len(own.intersection(self.givers(n))) for n in range(len(self.listed)))

    def round_cycles(self, settings: Settings) -> int:
        """Cycles of a round: enough to watch all streams, one after the other, at full load."""
        laps = sum(
            # A word for one node comes in each of so many laps.
            self.nodes if operation.to_node else 1 if operation.joined else len(self.sources)
            for operation in self.listed
        )
        return max(settings.cycles, int(_SURELY * laps * self.words_of_lap / self._rate))

    def counted(self, operation: int) -> tuple[int, ...]:
        """The members of an operation on the chip."""
        return tuple(node for node in self.members(operation) if node in self._members)

    def judge_constants(self, node: int) -> list[dict[str, int]]:
        """With the streams that must come to the node."""
        streams = sum(1 << place for place in self._streams_to(node))
        return [each | {"streams": streams} for each in super().judge_constants(node)]

    def _streams_to(self, node: int) -> Iterator[int]:
        for number, operation in enumerate(self.listed):
            if node not in self.takers(number):
                continue
            if operation.joined:
                yield number
                continue
            # Words for one node are rare, and those of one source are enough to wait for.
            for source in self.givers(number)[: 1 if operation.to_node else None]:
                if source != node or self.returned or operation.to_node:
                    yield number | self.numbers[source] << self.operations.bits

    def stream_names(self, label: Any) -> dict[int, str]:
        """What each stream is, by its number."""
        named = {}
        for number, operation in enumerate(self.listed):
            if operation.joined:
                named[number] = str(operation)
                continue
            for source in self.givers(number):
                place = number | self.numbers[source] << self.operations.bits
                named[place] = f"{operation} of {label(source)}"
        return dict(sorted(named.items()))


def chip_header(cut: Cut, chip: int, settings: Settings) -> str:
    """The first line of a chip's reports; the digest covers all chips, and where they divide."""
    whole = header(cut.design, settings)
    parts = (cut.design.digest, cut.division.chip, cut.pins, settings.seed, *["ddr"] * cut.ddr)
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:8]
    which = f"chip {chip} of {cut.division.chips}"
    return whole.replace(f" design {cut.design.digest} ", f" design {digest} {which} ")


def chip_lines(cut: Cut, chip: int, settings: Settings, words: ChipWords) -> list[str]:
    """The lines of a chip's report before the verdict."""
    return template(chip_header(cut, chip, settings), words.reported, _links(cut, chip))


def _links(cut: Cut, chip: int) -> list[str]:
    """The chips at the other ends of a chip's links."""
    return [chip_name(each.chips[1]) for each in cut.channels_of(chip)]


def link_pins(cut: Cut, chip: int) -> dict[str, wiring.Member]:
    """The ports of a chip's links."""
    ports = filter(is_pin, common_ports(cut.assembly(chip)))
    return {port.name: (Out if port.output else In)(port.bits) for port in ports}


class ChipSelfTest(SelfTest):
    """A chip that tests itself and its links, and reports on a serial line of its own.

    Its links have the ports that the module of the chip has.
    """

    def __init__(
        self, cut: Cut, chip: int, settings: Settings, endpoints: dict[str, wiring.Signature]
    ) -> None:
        self._cut, self._chip, self._assembly = cut, chip, cut.assembly(chip)
        self._own = ChipWords(cut, chip)
        self._links = _links(cut, chip)
        super().__init__(cut.design, settings, endpoints, self._own, link_pins(cut, chip))

    def _conductor(self) -> Watch:
        cycles = self._own.round_cycles(self._settings)
        parts = replace(lengths(self._design, self._settings), cycles=cycles)
        return Watch(self._own, parts, lap=self._own.own_lap, links=len(self._links))

    def _tested(self) -> tuple[str, Assembly, Sequence[int]]:
        name = ChipFiles(self._cut).chip_top(self._chip)
        return name, self._assembly, self._cut.division.members[self._chip]

    def lines(self) -> list[str]:
        """Those of a report before the verdict."""
        return chip_lines(self._cut, self._chip, self._settings, self._own)

    def _verdicts(self, conductor: Any) -> tuple[tuple[str, ...], Value]:
        return ("FAIL", "PASS", "WAIT"), Cat(conductor.passed, conductor.waits)

    def _told(self, conductor: Any) -> dict[str, Any]:
        return {"watched": conductor.watched, "again": conductor.again}

    def _count(
        self,
        m: Module,
        conductor: Any,
        common: Signals,
        givers: Sequence[Signals],
        judges: Sequence[Signals],
    ) -> None:
        count_events(m, self._own, conductor, WATCHED_EVENTS, givers, judges)
        for name, alarm in (("down", DOWN), ("faulty", FAULTY)):
            signals = Cat(common[alarm.format(other)] for other in self._links)
            m.d.comb += getattr(conductor, name).eq(signals)


class ChipTests:
    """The self-tests of all chips, with settings for each; the seed is that of all."""

    def __init__(self, cut: Cut, settings: Sequence[Settings]) -> None:
        self.cut, self.settings = cut, settings
        self._files = ChipFiles(cut)
        self._words = ChipWords(cut, 0)
        self._words.check()

    @cached_property
    def _endpoints(self) -> tuple[list[Verilog], dict[str, wiring.Signature]]:
        """What is at each node, and its ports."""
        giver: Any = Giver(self._words)
        judge: Any = Judge(self._words)
        modules = [convert(giver, GIVER), convert(judge, JUDGE)]
        return modules, {GIVER: giver.signature, JUDGE: judge.signature}

    def top_name(self, chip: int) -> str:
        """The module of a chip's self-test."""
        return f"{TOP}_{chip_name(chip)}"

    def count_lines(self, chip: int) -> int:
        """How many lines a chip's report has, with the verdict."""
        return len(chip_lines(self.cut, chip, self.settings[chip], self._words)) + 1

    def header(self, chip: int) -> str:
        """The first line of a chip's reports."""
        return chip_header(self.cut, chip, self.settings[chip])

    @property
    def round_cycles(self) -> int:
        """Cycles of the longest rounds."""
        return max(map(self._words.round_cycles, self.settings))

    def streams(self) -> dict[int, str]:
        """What comes in each stream, by the number that reports have for it."""
        return self._words.stream_names(self.cut.design.network.label)

    def verilog(self, chip: int) -> list[Verilog]:
        """All of it as Verilog, its top first."""
        top = ChipSelfTest(self.cut, chip, self.settings[chip], self._endpoints[1])
        return [convert(top, self.top_name(chip)), *self._files.modules(chip), *self._endpoints[0]]

    def all_chips(self) -> list[Verilog]:
        """All chips and wires, to simulate; in each run the line of another chip is read."""
        chips = range(self.cut.division.chips)
        modules = {each.name: each for chip in chips for each in self.verilog(chip)}
        wire = wire_module(f"{TOP}_wire", ddr=self.cut.ddr)
        top = Verilog.of(TOP, self._write_all(wire.name))
        return [top, wire, *modules.values()]

    def _write_all(self, wire: str) -> Iterator[str]:
        chips, cut = self.cut.division.chips, self.cut
        yield from write_module(TOP, ("input clk", "input rst", "output uart"))
        yield f"  localparam WRONG_BITS = {WRONG_BITS}, DELAY = {DELAY}, SLOWER = {SLOWER};"
        yield "  localparam STEADY = 0;"
        yield clocks_that_differ(chips)
        yield f"  wire [{chips - 1}:0] lines;"
        yield "  assign uart = lines[noc_bench.run];"
        for chip in range(chips):
            own = chip_name(chip)
            wires = {"clk": f"clocks[{chip}]", "rst": "rst", "uart": f"lines[{chip}]"}
            wires |= dict.fromkeys(("running", "passed", "failed"), "")
            for port in filter(is_pin, common_ports(cut.assembly(chip))):
                wires[port.name] = f"{own}__{port.name}"
                yield f"  wire {port.span}{own}__{port.name};"
            yield ""
            yield from write_instance(self.top_name(chip), own, wires)
        yield from write_wires(cut, wire, "clocks[{}]".format)
        yield "endmodule"


def simulate_chips(
    tests: ChipTests, folder: Path, *, rounds: int = 2
) -> tuple[list[str], list[list[Result]]]:
    """Simulate some rounds of the self-tests of all chips: of each its text, and its reports."""
    chips = range(tests.cut.division.chips)
    lines = [*map(tests.count_lines, chips)]
    settings = replace(tests.settings[0], cycles=tests.round_cycles)
    texts = simulate_files(
        [module.write(folder) for module in tests.all_chips()],
        folder,
        settings,
        rounds=rounds,
        lines=max(lines),
        runs=len(chips),
    )
    # Those with fewer lines have sent more reports.
    for chip, text in enumerate(texts):
        texts[chip] = "".join(text.splitlines(keepends=True)[: rounds * lines[chip]])
    return texts, [[*results(text)] for text in texts]
