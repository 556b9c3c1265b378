"""Sinks that stop taking words, and are given none any more, so that the others go on."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from amaranth.hdl import Assert, Assume, Module, Mux, ResetSignal, Signal
from amaranth.lib import wiring
from folders import bench, generated
from formal import tool
from formal.planting import listed, planted
from helpers import edit
from hypothesis import given
from hypothesis import strategies as st
from ordered_runs import moved, side_by_side
from readable_runs import as_given, changes_of, differences, run_readable, watch_readable
from test_ordered_model import SPECS
from test_stress import stress

from noc.design import OrderedDesign, build_design
from noc.model import SINKS, TRAFFIC, endless
from noc.model.ordered import ordered_streams, simulate_ordered, watch_ordered
from noc.model.sinks import absent
from noc.streams import Guard, guard
from noc.verify import mixture, name_runs, verify

OPERATIONS = "broadcast,send,all_reduce:sum,reduce:max,barrier"

#: What a design can be beside.
FORMS = [
    {},
    {"queue": 1},
    {"queue": 3, "link_registers": 1},
    {"sinks": "queued", "queue": 2},
    {"own_words": "return", "source_numbers": False},
    {"operations": OPERATIONS, "queue": 2},
    {"operations": OPERATIONS, "sinks": "queued", "queue": 4, "watchdog": 5},
]


def build(spec: str, timeout: int, **options) -> OrderedDesign:
    return build_design(spec, **{"width": 8, "sink_timeout": timeout} | options)


# The part


def guarded(words: list[int | None], ready: list[int], timeout: int, cycles: int) -> list:
    """What comes out, and the cycles in which a word is lost, told in plain Python."""
    out, lost, left = [], [], list(words)
    kept, refused = None, 0
    for cycle in range(cycles):
        takes = ready[cycle % len(ready)]
        word = left[0] if left else None
        if kept is not None:
            if word is not None:
                lost.append(cycle)
                left.pop(0)
            if takes:
                out.append((cycle, kept))
                kept = None
        elif word is not None and takes:
            out.append((cycle, left.pop(0)))
            refused = 0
        elif word is not None:
            refused += 1
            if refused == timeout:
                kept, refused = left.pop(0), 0
        if left and left[0] is None and word is None:
            left.pop(0)
    return [out, lost]


@pytest.mark.ci
@given(
    st.lists(st.none() | st.integers(0, 255), max_size=30),
    st.lists(st.integers(0, 1), min_size=1, max_size=17),
    st.integers(1, 6),
)
def test_a_guard_does_what_is_told_of_it(words, ready, timeout: int) -> None:
    dut, told = Guard(8, cycles=timeout), []
    taken = moved(
        dut, {"i": words}, {"o": ready}, 50, seen=lambda ctx: told.append(ctx.get(dut.absent))
    )
    expected, lost = guarded(words, ready, timeout, 50)
    assert taken["o"] == expected
    assert [cycle for cycle, bits in enumerate(told) if bits & 2] == lost


def test_no_time_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^cycles must be at least 1, not 0$"):
        Guard(8, cycles=0)


class GuardBench(wiring.Component):
    """A guard between free neighbours, of which the one before it keeps what it offers.

    One word is marked, by its only bit.
    """

    def __init__(self, timeout: int, built=guard) -> None:
        super().__init__({})
        self.guard, self._timeout = built.Guard(1, cycles=timeout), timeout

    @property
    def ports(self) -> list[Signal]:
        return tool.ports_of(self.guard)

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.guard = self.guard
        i, o, told = self.guard.i, self.guard.o, self.guard.absent
        came, left = i.valid & i.ready, o.valid & o.ready
        marked = came & i.payload
        m.d.comb += Assume(~ResetSignal())
        # What is offered stays, before the guard and behind it.
        tool.stays(m, i, Assume)
        tool.stays(m, o, Assert)
        once = Signal()
        m.d.sync += once.eq(once | marked)
        m.d.comb += Assume(~(once & i.valid & i.payload))
        # For how many cycles a word has been refused at both ends.
        waits, rests = Signal(range(self._timeout + 1)), Signal(range(self._timeout + 1))
        m.d.sync += waits.eq(Mux(i.valid & ~i.ready, waits + 1, 0))
        m.d.comb += Assert(waits < self._timeout)
        full = rests == self._timeout
        m.d.sync += rests.eq(Mux(o.valid & ~o.ready, Mux(full, rests, rests + 1), 0))
        m.d.comb += Assert(told[0] == full)
        m.d.comb += Assert(told[1] == (told[0] & came))
        # The marked word passes, or is lost, or is kept until it is taken.
        kept = Signal()
        m.d.sync += kept.eq(Mux(kept, ~left, marked & ~left & ~told[1]))
        m.d.comb += Assert(~marked | (left & o.payload) | ~left | told[0])
        m.d.comb += Assert(~kept | (told[0] & o.valid & o.payload))
        m.d.comb += Assert(~(left & o.payload) | kept | (marked & ~told[0]))
        return m


@pytest.mark.cases(1)
@tool.proofs
@pytest.mark.parametrize("timeout", [1, 2, 3, 6])
def test_a_guard_keeps_its_promises_for_ever(tmp_path: Path, timeout: int) -> None:
    tool.prove(tmp_path, GuardBench(timeout), traces=False).check("PASS")


FAULTS = """
a cycle too early
  refused == last - 1
  refused == last - 2
words wait for a sink that is away
  self.i.ready.eq(self.o.ready | takes)
  self.i.ready.eq(self.o.ready | leaves)
another word comes back
  with m.If(leaves):
  with m.If(self.i.valid & self.i.ready):
the kept word is not offered
  self.o.valid.eq(self.i.valid | absent)
  self.o.valid.eq(self.i.valid)
it never comes back
  absent.eq(Mux(absent, ~self.o.ready, leaves))
  absent.eq(Mux(absent, 1, leaves))
lost words are not told
  absent & self.i.valid))
  absent & self.i.valid & self.o.ready))
"""


@pytest.mark.cases(1, ci=3)
@tool.proofs
@pytest.mark.parametrize(
    "texts", [pytest.param(texts, id=name) for name, texts, _ in listed(FAULTS)]
)
def test_a_planted_fault_breaks_a_promise(tmp_path: Path, texts: tuple[str, str]) -> None:
    built = planted(["streams.guard"], "streams.guard", *texts)
    tool.prove(tmp_path, GuardBench(3, built), traces=False).check("FAIL")


# The models


@st.composite
def cases(draw):
    design = build(
        draw(st.sampled_from(SPECS)), draw(st.integers(1, 14)), **draw(st.sampled_from(FORMS))
    )
    nodes, seed = design.network.nodes, draw(st.integers(0, 10**6))
    kind = "full" if design.operations.only_broadcast else "mixed"
    (run,) = name_runs(design, kind, words=draw(st.integers(1, 9)), seed=seed)
    ready = SINKS[draw(st.sampled_from(sorted(SINKS)))](nodes, seed)
    if draw(st.booleans()):
        ready = ready.copy()
        ready[:, seed % nodes] = False
    return design, replace(run.traffic.whole, ready=ready)


@pytest.mark.ci
@given(cases())
def test_both_models_give_a_sink_up_in_the_same_cycle(case) -> None:
    design, traffic = case
    given_ = as_given(8, traffic) if design.operations.only_broadcast else traffic
    fast = simulate_ordered(design.program, traffic, width=8)
    assert differences(fast, run_readable(design.program, 8, given_)) == []
    cycles = min(fast.cycles, 120)
    shown = watch_ordered(design.program, traffic, cycles)
    # Which word is offered only the compiled form tells.
    shown = replace(shown, word=np.where(shown.word == -1, -1, 0))
    assert changes_of(shown) == changes_of(watch_readable(design.program, 8, given_, cycles))


@pytest.mark.cases(4)
@pytest.mark.parametrize("form", [{}, {"queue": 4}, {"sinks": "queued", "queue": 4}])
@pytest.mark.parametrize("spec", ["star:4", "uhc:4", "mesh:3,3"])
def test_a_sink_that_dies_costs_the_others_its_time_out_once(spec: str, form) -> None:
    timeout = 50
    program = build(spec, timeout, **form).program
    nodes = range(program.network.nodes)
    # A stop that has left a full queue comes to the root, and words come from there again.
    returns = max(plan.depth for plan in program.plans)
    traffic = endless(program, 400).whole
    always = simulate_ordered(program, traffic, cycles=600)
    for dead in nodes:
        ready = np.ones((700, len(nodes)), dtype=np.bool_)
        ready[30:, dead] = False
        run = simulate_ordered(program, traffic.taken_by(ready), cycles=600 + timeout + returns)
        for node in nodes:
            if node != dead:
                usual, late = (np.sort(each.arrival[:, node]) for each in (always, run))
                came = usual[usual >= 0]
                assert (late[late >= 0][: came.size] <= came + timeout + returns).all()
    never = build_design(spec, width=8, **form).program
    assert simulate_ordered(never, traffic.taken_by(ready[599:600])).end == "starved"


def test_a_sink_that_comes_back_gets_the_word_that_it_refused_and_later_ones() -> None:
    program = build("star:3", 20).program
    ready = absent(6, cycles=80)[:92]
    ready[:, [0, 4]] = True
    traffic = TRAFFIC["full"](program, 60, 1).whole.taken_by(ready)
    run = simulate_ordered(program, traffic, width=8)
    assert run.end == "drained"
    number = {(s.kind, s.node): n for n, s in enumerate(ordered_streams(program))}
    told = [(cycle, bits) for cycle, stream, bits in run.bits if stream == number["absent", 2]]
    lost = sum(bits >> 1 for _, bits in told)
    got = int((run.arrival[:, 2] >= 0).sum())
    assert lost > 100
    assert got + lost == (traffic.source != 2).sum()
    order = run.arrival[run.order][:, 2]
    assert (np.diff(order[order >= 0]) > 0).all()
    assert (run.arrival[:, 1] >= 0).sum() == (traffic.source != 1).sum()


# The hardware


@pytest.mark.cases(1)
@pytest.mark.parametrize("form", FORMS[:3] + FORMS[5:6])
def test_a_network_in_amaranth_does_what_the_model_does(form) -> None:
    design = build("mesh:2,2", 4, **form)
    kind = "full" if design.operations.only_broadcast else "mixed"
    (run,) = name_runs(design, kind, words=6, seed=3)
    traffic = replace(run.traffic.whole, ready=SINKS["moving-stall"](4, 1))
    fast, same = side_by_side(design, traffic, cycles=170)
    assert same
    kinds = {ordered_streams(design.program)[stream].kind for _, stream, _ in fast.bits}
    assert "absent" in kinds


@pytest.mark.cases(1, ci=1)
@pytest.mark.cocotb
@pytest.mark.parametrize("form", FORMS)
def test_the_verilog_equals_the_model(tmp_path: Path, form) -> None:
    design = build("star:3", 11, **form)
    runs = mixture(design, words=12, cycles=None, seed=1)
    assert sum(run.name.endswith(":absent") for run in runs) == 1
    report = verify(design, runs, tmp_path)
    assert report.passed
    assert report.events > 3000


@pytest.mark.slow
def test_a_guard_that_waits_a_cycle_less_is_caught_in_a_folder(tmp_path, cli) -> None:
    folder = generated(tmp_path / "out", "star:3", "--sink-timeout", "9", "--queue", "2")
    cli.out("verify", "--verilog", folder)
    for file in folder.glob("*node*.v"):
        edit(file, "refused == 3'h7", "refused == 3'h6")
    status, out, _ = cli("verify", "--verilog", folder)
    assert (status, "alarm absent" in out) == (1, True)


@pytest.mark.slow
@pytest.mark.cocotb
@pytest.mark.parametrize("more", ["", f" --operations {OPERATIONS} --queue 2"])
def test_the_benches_of_a_folder_hold_a_sink_back(tmp_path: Path, more: str) -> None:
    options = f"mesh:2,2 --width 9 --sink-timeout 8{more}"
    folder = generated(tmp_path / "out", *options.split())
    done = stress(folder, "--words", "20000")
    assert (done.returncode, done.stderr) == (0, "")
    bench(folder, "run.py")
    for file in folder.glob("*node*.v"):
        # Nobody's time is ever over.
        edit(file, "refused == 3'h6", "1'h0")
    done = bench(folder, "run.py", status=1)
    assert "holds up the others" in done.stdout + done.stderr


@pytest.mark.cases(0, ci=1)
@pytest.mark.cocotb
@pytest.mark.parametrize(
    "more", ["--queue 2 --sink-timeout 9", "--node-clocks each --sink-timeout 32"]
)
def test_the_bench_of_endpoints_gives_no_sink_up(tmp_path: Path, more: str) -> None:
    options = f"star:3 --width 16 --axi-stream --no-tlast {more}"
    bench(generated(tmp_path / "out", *options.split()), "run.py", "--bench", "endpoints")
