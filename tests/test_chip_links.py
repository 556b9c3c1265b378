"""Links between chips: each word once and in order, whatever bits are wrong, and in few cycles."""

import random
import re
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from amaranth.hdl import ClockDomain, DomainRenamer, Module, Mux, ResetSignal, Signal
from amaranth.lib import crc
from amaranth.sim import Simulator
from folders import EVERY_WORD_ONCE, bench, copied, manifest_of
from helpers import edit, started, substitute
from ordered_runs import run_bench

from noc.cli import main
from noc.links import FRAME_WORDS, NUMBERS, ChipLink, FrameFormat, checksum
from noc.links.pins import PinsIn, PinsOut
from noc.links.receiver import Receiver
from noc.verify.tools import environment


@pytest.mark.parametrize(
    ("pins", "widths", "slot", "most"),
    [(4, [37], 5, 1 + 16 * 5 + 3 + 3 + 1), (1, [1, 9], 6, 1 + 16 * 6 + 12 + 12 + 1)],
)
def test_beats_of_frames(pins: int, widths: list[int], slot: int, most: int) -> None:
    frames = FrameFormat(pins, widths, 1)
    assert (frames.slot_beats, frames.most_beats) == (slot, most)
    assert frames.rate == FRAME_WORDS / (2 * most)


@pytest.mark.parametrize("pins", range(1, 33))
def test_the_beginning_looks_like_nothing_that_is_shifted(pins: int) -> None:
    begin, beat = FrameFormat(pins, [8], 1).begin, 2 * pins
    bits = f"{begin:0{beat}b}"
    assert "1" in bits[:pins] + bits[pins:]
    assert "0" * beat != bits
    # Zeros and the beginning, read half a beat too early or too late.
    stream = "0" * beat + bits + "0" * beat
    assert [n for n in range(len(stream) - beat + 1) if stream[n : n + beat] == bits] == [beat]


def test_what_cannot_be_linked_is_refused() -> None:
    with pytest.raises(ValueError, match="half must be from 1 to 32 bits"):
        FrameFormat(0, [8], 1)
    with pytest.raises(ValueError, match="pins must be from 1 to 32, not 0"):
        ChipLink([8], [8], pins=0)
    with pytest.raises(ValueError, match="pins must be from 1 to 16, not 17"):
        ChipLink([8], [8], pins=17, ddr=True)
    with pytest.raises(ValueError, match="streams need more"):
        FrameFormat(1, [8] * 4, 1)
    with pytest.raises(ValueError, match="at most 15 streams"):
        FrameFormat(4, [8], 16)


#: The checksum as Amaranth's library knows it, from ones on.
LTE = crc.Algorithm(
    crc_width=24,
    polynomial=crc.catalog.CRC24_LTE_B.polynomial,
    initial_crc=0xFFFFFF,
    reflect_input=False,
    reflect_output=False,
    xor_output=0,
)


@pytest.mark.parametrize("bits", [1, 4, 7, 16, 24, 32, 64])
def test_the_checksum_is_that_of_lte(bits: int) -> None:
    """And leaves nothing to differ when it has been sent itself."""
    reference = LTE(data_width=bits)
    m = Module()
    sums, given = Signal(checksum.BITS, init=checksum.INITIAL), Signal(bits)
    due = checksum.due(sums, bits)
    m.d.sync += sums.eq(checksum.follow(sums, given ^ due))
    words, draw = [], random.Random(bits)

    async def run(ctx):
        for _ in range(20):
            words.append(draw.getrandbits(bits))
            ctx.set(given, words[-1])
            await ctx.tick()
            assert ctx.get(sums) == reference.compute(words)
        for _ in range(-(-checksum.BITS // bits)):
            ctx.set(given, ctx.get(due))
            await ctx.tick()
        assert ctx.get(sums) == 0

    run_bench(m, run)


@pytest.mark.parametrize(
    ("period", "lost"), [(4.9e-9, False), (10.02e-9, False), (19.9e-9, False), (20.5e-9, True)]
)
def test_each_beat_is_seen_by_a_clock_half_as_fast(period: float, lost: bool) -> None:
    """But not by a slower one."""
    m = Module()
    m.submodules.out = DomainRenamer("one")(out := PinsOut(6))
    m.submodules.come = DomainRenamer("two")(come := PinsIn(6))
    m.d.comb += [come.pins.clock.eq(out.pins.clock), come.pins.data.eq(out.pins.data)]
    half = Signal(13)
    m.d.one += half.eq(half + 1)
    m.d.comb += [out.half.eq(Mux(half[0], half[1:7], half[7:])), out.first.eq(~half[0])]
    beats = []

    async def run(ctx):
        async for *_, arrives, beat in ctx.tick("two").sample(come.arrives, come.beat):
            if arrives:
                beats.append(beat)

    sim = Simulator(m)
    sim.add_clock(10e-9, domain="one")
    sim.add_clock(period, domain="two")
    sim.add_testbench(run, background=True)
    sim.run_until(30e-6)
    # After what the places had in them at first.
    del beats[:8]
    assert len(beats) > 1000
    assert lost == any(new != (old + 1) % 4096 for old, new in pairwise(beats))


def frame_of(words: list[int], sent: int) -> list[int]:
    """The beats of a frame of one stream of 12 bits over 4 pins, as docs/chips.md has it."""
    bits = [int(bit) for word in words for bit in f"{word << 1 | 1:016b}"[::-1]]
    # No word, linked, no attempt, nothing lost, none left, and how far it goes.
    bits += [int(bit) for bit in f"{sent << 8 | 2 << 1:024b}"[::-1]]
    beats = [int("".join(map(str, bits[n : n + 8]))[::-1], 2) for n in range(0, len(bits), 8)]
    rest = LTE(data_width=8).compute(beats)
    return [0, FrameFormat(4, [12], 1).begin, *beats, *rest.to_bytes(3, "big"), 0]


def test_words_that_are_repeated_in_vain_are_not_taken() -> None:
    """Though there is room for so many only that the last would be numbered right."""
    frames = FrameFormat(4, [12], 1)
    dut = Receiver(frames, frames, [12])
    came: list[int] = []

    async def run(ctx):
        async def hear(words: list[int], sent: int) -> None:
            for beat in frame_of(words, sent):
                ctx.set(dut.arrives, 1)
                ctx.set(dut.beat, beat)
                await ctx.tick()
            ctx.set(dut.arrives, 0)
            assert not ctx.get(dut.faulty)
            await ctx.tick().repeat(3)

        for first in range(0, 90, 10):
            await hear([*range(first, first + 10)], first + 10)
            assert ctx.get(dut.own.expected) == first + 10
        await hear([*range(80, 96)], 96)
        assert (ctx.get(dut.own.expected), ctx.get(dut.own.again)) == (90, 1)
        await hear([*range(90, 96)], 96)
        assert (ctx.get(dut.own.expected), ctx.get(dut.own.again)) == (96, 0)
        ctx.set(dut.o_0.ready, 1)
        for _ in range(400):
            if ctx.get(dut.o_0.valid):
                came.append(ctx.get(dut.o_0.payload))
            await ctx.tick()

    run_bench(dut, run)
    assert came == [*range(96)]


def comes_in_step(width: int, offset: int, pause: int) -> bool:
    """Whether a frame comes, behind what looked like a beginning, where all are alike."""
    frames = FrameFormat(4, [width], 1)
    dut = Receiver(frames, frames, [width])
    beats = [*frame_of([], 127)[:-1], *[0] * pause]
    seen = []

    async def run(ctx):
        ctx.set(dut.arrives, 1)
        for beat in [0, frames.begin, *beats[offset:], *beats * 40]:
            ctx.set(dut.beat, beat)
            await ctx.tick()
            seen.append(ctx.get(dut.comes))

    run_bench(dut, run)
    return any(seen)


@pytest.mark.parametrize("width", [12, 28, 60])
def test_a_silence_brings_every_receiver_into_step(width: int) -> None:
    silence = FrameFormat(4, [width], 1).silence
    assert all(comes_in_step(width, offset, silence) for offset in range(8))
    if width == 60:
        # Frames without words have as many beats as a word: one is never left.
        assert not all(comes_in_step(width, offset, 0) for offset in range(8))


def test_a_side_that_has_heard_nothing_is_silent_between_frames() -> None:
    dut = ChipLink((60,), (28,), pins=4)
    beats: list[int] = []

    async def run(ctx):
        for _ in range(2000):
            await ctx.tick()
            beats.append(ctx.get(dut.tx.data))

    run_bench(dut, run)
    silences = "".join("1" if beat else "0" for beat in beats).strip("0").split("1")
    enough = 2 * FrameFormat(4, [60], 1).silence
    assert sum(len(each) >= enough for each in silences) > 5


def give(stream, domain: str, words: list[int]):
    """Offer the words of a list, to which more may come."""

    async def run(ctx):
        async for *_, valid, ready in ctx.tick(domain).sample(stream.valid, stream.ready):
            if valid and ready:
                words.pop(0)
            ctx.set(stream.valid, bool(words))
            ctx.set(stream.payload, words[0] if words else 0)

    return run


def take(stream, domain: str, came: list[int], *, ready: bool = True):
    """List the words that come, if any are taken."""

    async def run(ctx):
        ctx.set(stream.ready, ready)
        async for *_, valid, payload in ctx.tick(domain).sample(stream.valid, stream.payload):
            if valid and ready:
                came.append(payload)

    return run


def pass_words(words: int, *, taking: bool = True, connected=lambda _: True, limit: float = 4e-4):
    """What comes of two streams there and one back, and whether the link is down at the end."""
    goes, comes = (12, 5), (7,)
    m = Module()
    m.submodules.one = DomainRenamer("one")(one := ChipLink(goes, comes, pins=4))
    m.submodules.two = DomainRenamer("two")(two := ChipLink(comes, goes, pins=4))
    sim, came, down = Simulator(m), {"first": [], "second": [], "back": []}, []
    sim.add_clock(10e-9, domain="one")
    sim.add_clock(10.3e-9, domain="two")

    def wire(tx, rx):
        async def run(ctx):
            while True:
                await ctx.changed(tx.clock, tx.data)
                if connected(sim):
                    ctx.set(rx.clock, ctx.get(tx.clock))
                    ctx.set(rx.data, ctx.get(tx.data))

        return run

    for tx, rx in ((one.tx, two.rx), (two.tx, one.rx)):
        sim.add_testbench(wire(tx, rx), background=True)

    for name, end, domain, number, ready in (
        ("first", (one, two), ("one", "two"), 0, taking),
        ("second", (one, two), ("one", "two"), 1, True),
        ("back", (two, one), ("two", "one"), 0, True),
    ):
        entry, output = getattr(end[0], f"i_{number}"), getattr(end[1], f"o_{number}")
        sim.add_testbench(give(entry, domain[0], [*range(words)]), background=True)
        sim.add_testbench(take(output, domain[1], came[name], ready=ready), background=True)

    async def watch(ctx):
        await ctx.delay(limit)
        down.extend([ctx.get(one.down), ctx.get(two.down)])

    sim.add_testbench(watch)
    sim.run()
    return came, down


@pytest.mark.ci
def test_a_stream_that_is_not_taken_holds_up_no_other() -> None:
    came, down = pass_words(30, taking=False, limit=3e-5)
    assert came == {"first": [], "second": [*range(30)], "back": [*range(30)]}
    assert down == [0, 0]


@pytest.mark.ci
def test_words_beyond_all_memories_wait() -> None:
    words = 3 * NUMBERS
    came, _ = pass_words(words, taking=False, limit=1.2e-4)
    assert came["first"] == []
    assert came["back"] == [n % 128 for n in range(words)]
    assert came["second"] == [n % 32 for n in range(words)]


@pytest.mark.ci
def test_a_missing_cable_is_told_of() -> None:
    came, down = pass_words(3, connected=lambda _: False, limit=1.5e-4)
    assert came == {"first": [], "second": [], "back": []}
    assert down == [1, 1]


def pass_cells(late: int) -> tuple[list[int], list[int], tuple[int, int]]:
    """What comes each way through DDR cells, bits of each pin so many half cycles later."""
    pins, m = 2, Module()
    m.submodules.one = DomainRenamer("one")(one := ChipLink((6,), (5,), pins=pins, ddr=True))
    m.submodules.two = DomainRenamer("two")(two := ChipLink((5,), (6,), pins=pins, ddr=True))
    sim, came = Simulator(m), ([], [])
    sim.add_clock(10e-9, domain="one")
    sim.add_clock(10.3e-9, domain="two")

    def wire(tx, rx, domain: str, late: int):
        async def run(ctx):
            bits = [0] * late
            async for *_, given in ctx.tick(domain).sample(tx.data):
                bits += [given >> pins, given % (1 << pins)]
                ctx.set(rx.data, bits.pop(0) << pins | bits.pop(0))
                # In the midst of the cycle, when the data do not change.
                await ctx.delay(4e-9)
                ctx.set(rx.clock, 1)
                await ctx.delay(4e-9)
                ctx.set(rx.clock, 0)

        return run

    sim.add_testbench(wire(one.tx, two.rx, "one", late), background=True)
    sim.add_testbench(wire(two.tx, one.rx, "two", 3 * late + 1), background=True)
    for end, domain in ((one, "one"), (two, "two")):
        sim.add_testbench(give(end.i_0, domain, [*range(30)]), background=True)
    sim.add_testbench(take(two.o_0, "two", came[0]), background=True)
    sim.add_testbench(take(one.o_0, "one", came[1]), background=True)
    downs = []

    async def watch(ctx):
        await ctx.delay(4e-5)
        downs.extend([ctx.get(one.down), ctx.get(two.down)])

    sim.add_testbench(watch)
    sim.run()
    return *came, (downs[0], downs[1])


@pytest.mark.cases(1, ci=4)
@pytest.mark.parametrize("late", range(4))
def test_beats_are_found_in_each_half_cycle(late: int) -> None:
    assert pass_cells(late) == ([*range(30)], [*range(30)], (0, 0))


class Pair:
    """Two ends, each with a clock and a reset of its own, words for the other, and what came."""

    def __init__(self) -> None:
        m = Module()
        self.ends, self.resets = {}, {}
        self.words: dict[str, list[int]] = {"one": [], "two": []}
        self.came: dict[str, list[int]] = {"one": [], "two": []}
        for name in ("one", "two"):
            m.domains += ClockDomain(name)
            m.submodules[name] = DomainRenamer(name)(end := ChipLink((12,), (12,), pins=4))
            self.ends[name], self.resets[name] = end, Signal()
            m.d.comb += ResetSignal(name).eq(self.resets[name])
        for here, there in (("one", "two"), ("two", "one")):
            pins, others = self.ends[here].tx, self.ends[there].rx
            m.d.comb += [others.clock.eq(pins.clock), others.data.eq(pins.data)]
        self.sim = Simulator(m)
        for name, period in (("one", 10e-9), ("two", 10.3e-9)):
            self.sim.add_clock(period, domain=name)
            end, words, came = self.ends[name], self.words[name], self.came[name]
            self.sim.add_testbench(give(end.i_0, name, words), background=True)
            self.sim.add_testbench(take(end.o_0, name, came), background=True)

    async def reset(self, ctx, name: str) -> None:
        ctx.set(self.resets[name], 1)
        await ctx.delay(1e-6)
        ctx.set(self.resets[name], 0)

    def downs(self, ctx) -> list[int]:
        return [ctx.get(end.down) for end in self.ends.values()]


@pytest.mark.ci
@pytest.mark.parametrize("before", [0, 5])
def test_a_reset_of_one_side_is_told_on_both(before: int) -> None:
    """Unless no word had passed; and after that of the other side all is well."""
    pair = Pair()

    async def run(ctx):
        pair.words["two"] += range(before)
        await ctx.delay(20e-6)
        assert (pair.came["one"], pair.downs(ctx)) == ([*range(before)], [0, 0])
        await pair.reset(ctx, "two")
        pair.words["two"] += range(100, 112)
        await ctx.delay(90e-6)
        if not before:
            assert (pair.came["one"], pair.downs(ctx)) == ([*range(100, 112)], [0, 0])
            return
        assert (pair.came["one"], pair.downs(ctx)) == ([*range(before)], [1, 1])
        await pair.reset(ctx, "one")
        pair.words["one"] += range(200, 203)
        await ctx.delay(25e-6)
        assert pair.came == {
            "one": [*range(before), *range(100, 112)],
            "two": [*range(200, 203)],
        }
        assert pair.downs(ctx) == [0, 0]

    pair.sim.add_testbench(run)
    pair.sim.run()


@cache
def made(tmp: Path, words: str) -> Path:
    folder = tmp / re.sub(r"\W+", "_", words)
    assert main(["cut", *words.split(), "-o", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("chips")
    return lambda words: made(base, words)


def stress(folder: Path, *words: object):
    return started(sys.executable, folder / "bench" / "stress.py", "--chips", *words)


SUMS = "--operations broadcast,send,all_reduce:sum,barrier"

#: With 3 bits for the source words have 37, as those of 24 nodes and 32 bits.
PAIR = "star:3 --chips 2 --pins 4 --width 34"

#: The same through DDR cells: two pins carry what four do.
DDR_PAIR = "star:3 --chips 2 --pins 2 --width 34 --ddr"

#: Queues that stop their chip.
QUEUED = "star:3 --chips 2 --pins 4 --sinks queued --queue 2"

#: What is driven, and with which wires.
DESIGNS = (
    (PAIR, "--ppm 200"),
    (DDR_PAIR, "--ppm 200"),
    (f"star:3 --chips 3 --pins 1 --ddr {SUMS}", "--wrong-bits 0.0005 --delay 0"),
    (f"star:3 --chips 3 --pins 1 {SUMS}", "--wrong-bits 0.0005 --delay 0"),
    ("uhc:4 --chips 4 --pins 2 --width 9 --link-registers 1", "--wrong-bits 0.0003 --delay 11"),
    ("hypercube:4 --chips 4 --pins 8 --queue 4 --sources 0000,1010", "--delay 40"),
    (f"star:4 --chips 4 --pins 16 --group H=1234,2134,3214 {SUMS},all_reduce:max@H", ""),
    ("mesh:3,3 --chips 9 --pins 32 --width 70", "--wrong-bits 0.0001"),
    (QUEUED, "--stall 0.7"),
    # Words come to another node than that from which stops go.
    ("uhc:4 --chips 2 --pins 4 --sinks queued --queue 2", "--stall 0.7 --load 1"),
    ("mesh:3,3 --chips 9 --pins 32 --width 20 --sinks queued --queue 2", "--load 1"),
    ("ring:8 --chips 4 --pins 2 --ddr --link-registers 2 --sinks queued --queue 3", ""),
)


@pytest.mark.cases(1, ci=2)
@pytest.mark.parametrize(("design", "wires"), DESIGNS)
def test_every_word_comes_once(folders, design: str, wires: str) -> None:
    done = stress(folders(design), "--words", 4000, *wires.split())
    assert done.stdout.endswith(EVERY_WORD_ONCE), done.stdout + done.stderr


@pytest.mark.cocotb
@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize(
    "design", [f"{DDR_PAIR} --sinks queued --queue 2", *(design for design, _ in DESIGNS[1:6])]
)
def test_chips_with_clocks_of_their_own(folders, design: str) -> None:
    done = bench(folders(design), "run.py", "--bench", "chips")
    assert "FAIL=0" in done.stdout


@pytest.mark.ci
@pytest.mark.parametrize("pair", [PAIR, DDR_PAIR])
def test_four_fifths_of_what_pins_carry_are_words(folders, pair: str) -> None:
    folder = folders(pair)
    # More words where it takes longer until a link is there.
    count = 20000 if pair == DDR_PAIR else 8000
    done = stress(folder, "--words", count, "--load", 1, "--stall", 0, "--wrong-bits", 0)
    assert done.stdout.endswith(EVERY_WORD_ONCE), done.stdout + done.stderr
    words, cycles = (
        int(re.search(rf"{name} +(\d+)", done.stdout)[1]) for name in ("words", "cycles")
    )
    chips = manifest_of(folder)["chips"]
    width = 34 + 3
    bits = chips["pins"] * (2 if chips["ddr"] else 1)
    assert words / cycles * width / bits >= 0.8
    # That is what is said of it.
    assert words / cycles <= FrameFormat(bits, [width], 1).rate


#: What is changed in the Verilog of an end of a link, and what is seen then.
FAULTS = (
    # Wrong frames are taken for good ones; words that were lost are not missed.
    (r"assign comes = [^;]*;", "assign comes = ends;", "Error"),
    (r"assign fits = [^;]*;", "assign fits = 1'h1;", "Error"),
    # Words stay in the memory for ever, or are read where the last one still waits.
    (r" expected <= _[^;]*;", " expected <= 7'h0;", "Error"),
    (r"assign waits_0 = [^;]*;", "assign waits_0 = whole_0;", "Error"),
    # Words that were lost are not sent again.
    (r" again <= _[^;]*;", " again <= 1'h0;", "Error"),
)

#: The same of one with DDR.
DDR_FAULTS = (
    # Beats are not looked for, or never where a half cycle is apart from the other.
    (r" begins <= _[^;]*;", " begins <= 2'h0;", "Error"),
    (r"= begins\[0\] \?[^;]*;", "= cells__data;", "Error"),
)

#: And of what stops a chip, at both ends of a link.
STOP_FAULTS = (
    ("chip_entrance", r"\.stop\(stop__valid\)", ".stop(1'h0)", "Error"),
    ("chip_exit_*", r"assign stop__valid = [^;]*;", "assign stop__valid = 1'h0;", "Error"),
)

PLANTED = (
    *((PAIR, "chip_link_0", *each) for each in FAULTS),
    *((DDR_PAIR, "chip_link_0", *each) for each in DDR_FAULTS),
    *((QUEUED, *each) for each in STOP_FAULTS),
)

#: With what they are seen.
HARD = {QUEUED: ("--stall", 0.7)}


@pytest.mark.cases(2)
@pytest.mark.parametrize(("design", "part", "text", "fault", "seen"), PLANTED)
def test_planted_faults_are_seen(
    folders, tmp_path: Path, design: str, part: str, text: str, fault: str, seen: str
) -> None:
    copied(folders(design), tmp_path)
    (path,) = (tmp_path / "chips").glob(f"noc_star_3_{part}.v")
    substitute(path, text, fault)
    done = stress(tmp_path, "--words", 4000, *HARD.get(design, ("--wrong-bits", 0.001)))
    assert done.returncode == 1
    assert seen in done.stderr, done.stdout + done.stderr


@pytest.mark.ci
def test_a_cut_wire_is_seen(folders, tmp_path: Path) -> None:
    copied(folders(PAIR), tmp_path)
    path = tmp_path / "chips" / "noc_star_3_chip_wire.v"
    late = "assign o_data = cycles < 2000 ? bits[DELAY*PINS +: PINS] : 0;"
    edit(path, "assign o_data = bits[DELAY*PINS +: PINS];", late)
    edit(path, "  integer n;", "  reg [31:0] cycles = 0;\n  integer n;")
    edit(path, "    lots <= ", "    cycles <= cycles + 1;\n    lots <= ")
    done = stress(tmp_path, "--words", 40000)
    assert done.returncode == 1
    assert "a link between chips is down" in done.stdout + done.stderr


#: Counts the edges of both chips' clocks in so many cycles.
COUNTED = 20_000
COUNTS = f"""
  reg [31:0] cycles = 0, edges_0 = 0, edges_1 = 0;
  always @(posedge clocks[0]) edges_0 <= edges_0 + 1;
  always @(posedge clocks[1]) edges_1 <= edges_1 + 1;
  always @(posedge clk) begin
    cycles <= cycles + 1;
    if (cycles == {COUNTED})
      $fdisplay(32'h80000002, "edges %0d %0d", edges_0, edges_1);
  end
endmodule"""


@pytest.mark.cases(1)
@pytest.mark.parametrize("ppm", [2000, 0])
def test_clocks_differ_by_what_is_said(folders, tmp_path: Path, ppm: int) -> None:
    """With --ppm the first chip has all cycles, and the second lacks twice as many of a million."""
    copied(folders(PAIR), tmp_path)
    edit(tmp_path / "chips" / "noc_star_3_chips_bench.v", "\nendmodule", COUNTS)
    done = stress(tmp_path, "--words", 2500, "--ppm", ppm)
    assert done.stdout.endswith(EVERY_WORD_ONCE), done.stdout + done.stderr
    first, second = (int(each) for each in re.search(r"edges (\d+) (\d+)", done.stderr).groups())
    # One may still be to come in the cycle in which they are printed.
    assert first in (COUNTED, COUNTED + 1)
    lacking, expected = (first - second) / first, 2 * ppm / 1e6
    # Four times the deviation of so many lots.
    assert abs(lacking - expected) <= 4 * (expected / COUNTED) ** 0.5 + 1 / COUNTED


@pytest.mark.ci
@pytest.mark.parametrize("design", [f"star:3 --chips 3 --pins 1 {SUMS}", QUEUED])
def test_a_chip_alone_is_whole_and_without_a_warning(folders, design: str) -> None:
    folder = folders(design)
    env = environment("verilator")
    for chip in manifest_of(folder)["chips"]["chips"]:
        done = started(
            *("verilator", "--lint-only", "-Wall", "--top-module", chip["top"]),
            *(folder / "noc_star_3.vlt", "-F", folder / "chips" / f"{chip['top']}.f"),
            env=env,
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_the_core_has_all_that_benches_read(folders) -> None:
    folder = folders(PAIR)
    core = (folder / "noc_star_3.core").read_text()
    files = manifest_of(folder)["files"]
    assert [name for name in files if name.endswith(".v") and f"- {name}:" not in core] == []
