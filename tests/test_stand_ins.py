"""Members that are taken out of a group: void words are given for them, and the others go on."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from amaranth.hdl import Assert, Assume, Module, Mux, ResetSignal, Signal
from amaranth.lib import data, wiring
from folders import generated
from formal import tool
from formal.planting import listed, planted
from hypothesis import given
from hypothesis import strategies as st
from ordered_runs import moved, side_by_side
from own_operators import own_operators
from readable_runs import changes_of, differences, run_readable, watch_readable
from test_void_words import FORMS
from test_void_words import build as with_void_words

from noc.design import OrderedDesign
from noc.emit.manifest import build_manifest
from noc.errors import InputError
from noc.model.ordered import simulate_ordered, watch_ordered
from noc.model.ordered.traffic import CollectiveTraffic, Given, Mixture, as_traffic
from noc.model.ordered.traffic import mixed_operations as mixed
from noc.model.sinks import members_away, random
from noc.programs.joins import count_waiting
from noc.streams import StandIn, stand_in
from noc.verify import name_runs, verify
from noc.verify.folder import read_folder


def build(spec: str = "star:3", **options) -> OrderedDesign:
    return with_void_words(spec, **{"stand_ins": True} | options)


def going(design: OrderedDesign, seed: int, away: np.ndarray | None = None) -> CollectiveTraffic:
    """Words of all operations, more than are given while members are away at times."""
    members = members_away(len(design.program.stand_ins), seed) if away is None else away
    percent = 100 if design.always_ready else 70
    ready = random(design.network.nodes, percent=percent, period=len(members), seed=seed)
    mixture = Mixture(150, longest=2, gap=1, wrong=5)
    return mixed(design.program, design.width, mixture, ready=ready, away=members, seed=seed).whole


@pytest.fixture(autouse=True, scope="module")
def _own() -> Iterator[None]:
    with own_operators():
        yield


# The part

VOID = 8


def stood_in(words: list[int | None], away: list[int], ready: list[int], cycles: int) -> list:
    """What comes out, told in plain Python: in each cycle in which nothing waits it may change."""
    out, left, stands = [], list(words), False
    for cycle in range(cycles):
        word = VOID if stands else left[0] if left else None
        came = left[0] if left else None
        taken = word is not None and ready[cycle % len(ready)]
        if taken:
            out.append((cycle, word))
        if left and (came is None or (taken and not stands)):
            left.pop(0)
        if word is None or taken:
            stands = bool(away[cycle % len(away)])
    return out


@pytest.mark.ci
@given(
    st.lists(st.none() | st.integers(0, 7), max_size=30),
    st.lists(st.integers(0, 1), min_size=1, max_size=13),
    st.lists(st.integers(0, 1), min_size=1, max_size=17),
)
def test_a_stand_in_does_what_is_told_of_it(words, away, ready) -> None:
    class Told(wiring.Component):
        """It, told by a counter whether to stand in."""

        def __init__(self) -> None:
            self.part = StandIn(4, word=VOID)
            super().__init__({name: self.part.signature.members[name] for name in "io"})

        def elaborate(self, _platform: object) -> Module:
            m = Module()
            m.submodules.part = self.part
            for name in "io":
                wiring.connect(m, wiring.flipped(getattr(self, name)), getattr(self.part, name))
            place = Signal(range(len(away)))
            m.d.sync += place.eq(Mux(place == len(away) - 1, 0, place + 1))
            pattern = sum(bit << n for n, bit in enumerate(away))
            m.d.comb += self.part.away.eq(Signal(len(away), init=pattern).bit_select(place, 1))
            return m

    assert moved(Told(), {"i": words}, {"o": ready}, 50)["o"] == stood_in(words, away, ready, 50)


class StandInBench(wiring.Component):
    """A stand-in between free neighbours, of which the one before it keeps what it offers."""

    def __init__(self, built=stand_in) -> None:
        super().__init__({})
        self.layout = data.StructLayout({"data": 1, "void": 1})
        self.part = built.StandIn(self.layout, word=self.layout.const({"void": 1}))

    @property
    def ports(self) -> list[Signal]:
        return tool.ports_of(self.part)

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.part = self.part
        i, o = self.part.i, self.part.o
        m.d.comb += [Assume(~ResetSignal()), Assume(~i.payload.void)]
        # What is offered stays, before it and behind it.
        tool.stays(m, i, Assume)
        waited = tool.stays(m, o, Assert)
        # It stands in when nothing waits, and it was told to; from then on until it is taken.
        told, gives = Signal(), Signal()
        m.d.sync += told.eq(self.part.away)
        m.d.comb += [
            gives.eq(o.valid & o.payload.void),
            Assert(waited | (gives == told)),
            # A word of the other passes as it is, in the same cycle, or waits.
            Assert((i.valid & i.ready) == (o.valid & o.ready & ~gives)),
            Assert(gives | (o.valid == i.valid)),
            Assert(gives | (o.payload.as_value() == i.payload.as_value())),
            Assert(~gives | ~o.payload.data),
        ]
        return m


@tool.proofs
def test_a_stand_in_keeps_its_promises_for_ever(tmp_path: Path) -> None:
    tool.prove(tmp_path, StandInBench(), traces=False).check("PASS")


FAULTS = """
it changes while a word waits
  with m.If(self.o.ready | ~self.o.valid):
  with m.If(1):
it never comes back
  stands.eq(self.away)
  stands.eq(self.away | stands)
it stands in while the node has no word
  with m.If(self.o.ready | ~self.o.valid):
  with m.If(self.o.ready | ~self.i.valid):
words are lost meanwhile
  self.i.ready.eq(self.o.ready & ~stands)
  self.i.ready.eq(self.o.ready)
it waits for words of the node
  self.o.valid.eq(self.i.valid | stands)
  self.o.valid.eq(self.i.valid)
"""


@pytest.mark.cases(1)
@tool.proofs
@pytest.mark.parametrize(
    "texts", [pytest.param(texts, id=name) for name, texts, _ in listed(FAULTS)]
)
def test_a_planted_fault_breaks_a_promise(tmp_path: Path, texts: tuple[str, str]) -> None:
    built = planted(["streams.stand_in"], "streams.stand_in", *texts)
    tool.prove(tmp_path, StandInBench(built), traces=False).check("FAIL")


# Both forms of the model, and what must come down


@pytest.mark.cases(3)
@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 10**6), spec=st.sampled_from(["star:3", "mesh:2,3", "ring:5"]))
def test_both_models_do_the_same(form, seed, spec) -> None:
    design = build(spec, **form)
    traffic = going(design, seed)
    run = simulate_ordered(design.program, traffic, width=design.width, cycles=200)
    assert differences(run, run_readable(design.program, design.width, traffic, 200)) == []


def test_where_nobody_is_away_nothing_is_changed() -> None:
    """The same transfers as without stand-ins, and the same signals in both models."""
    design, plain = build(), build(stand_ins=False)
    nobody = np.zeros((37, len(design.program.stand_ins)), dtype=np.bool_)
    traffic = replace(going(design, 1, nobody), away=None)
    runs = [simulate_ordered(each.program, traffic, width=6) for each in (design, plain)]
    assert runs[0].end == "drained"
    assert differences(*runs) == []
    shown = watch_ordered(design.program, traffic, 120)
    shown = replace(shown, word=np.where(shown.word == -1, -1, 0))
    assert changes_of(shown) == changes_of(watch_readable(design.program, 6, traffic, 120))


#: Bits of each node in a sum.
_BITS = 9


def sums_of(design: OrderedDesign, away: np.ndarray, cycles: int, gap: int) -> list[list[int]]:
    """Of each sum the numbers, from 1, of the words that are in it, and 0 for who is not."""
    nodes = range(design.network.nodes)
    words = [[Given(gap * n, 0, data=n + 1 << _BITS * node) for n in range(400)] for node in nodes]
    traffic = as_traffic(design.program, words, away=away)
    run = simulate_ordered(design.program, traffic, width=design.width, cycles=cycles)
    assert run.end == "limit"
    first = design.words.inside
    bits = [bits & (1 << first["data"]) - 1 for _, bits in run.passing]
    return [[each >> _BITS * node & (1 << _BITS) - 1 for node in nodes] for each in bits]


@given(
    seed=st.integers(0, 10**6),
    gap=st.integers(0, 3),
    spec=st.sampled_from(["ring:3", "mesh:2,3", "tree:2,2"]),
    form=st.sampled_from([{}, {"link_registers": 2}, {"group_queue": 3}]),
)
def test_no_word_is_lost_and_nobody_is_waited_for(seed, gap, spec, form) -> None:
    """Whoever is away, words of each node come in their order; of who never is, all at once."""
    nodes = build(spec, operations="barrier").network.nodes
    design = build(spec, operations="all_reduce:sum", width=nodes * _BITS, **form)
    away = members_away(nodes, seed)
    stays = seed % nodes
    away[:, stays] = False
    results = sums_of(design, away, 300, gap)
    for node in range(nodes):
        numbers = [each[node] for each in results if each[node]]
        assert numbers == [*range(1, len(numbers) + 1)]
    # The stall of the merges and of the way down apart, there is a result for each of its words.
    assert [each[stays] for each in results] == [*range(1, len(results) + 1)]
    assert len(results) > min(399, 300 // max(1, gap)) * 0.8 - 30


@pytest.mark.parametrize("spec", ["ring:5", "mesh:2,3", "tree:2,2"])
@pytest.mark.parametrize("form", [{}, {"link_registers": 2}, {"group_queue": 5}])
def test_a_member_that_comes_back_misses_as_many_results_as_wait(spec: str, form) -> None:
    """While nothing moves: those for which void words wait, and one that is offered."""
    nodes = build(spec, operations="barrier").network.nodes
    design = build(spec, operations="all_reduce:sum", width=nodes * _BITS, **form)
    program, gap = design.program, 50
    for node in range(nodes):
        # Between two words; taken out before the third is given, and back before the ninth.
        away = np.zeros((30 * gap, nodes), dtype=np.bool_)
        away[2 * gap + 30 : 8 * gap + 30, node] = True
        results = sums_of(design, away, 30 * gap, gap)
        waiting = count_waiting(program.joins[0], node, program.up_parent, program.up_registers)
        missed = [place for place, each in enumerate(results) if not each[node]]
        assert missed == [*range(3, 9 + waiting + 1)]
        assert [each[node - 1] for each in results] == [*range(1, len(results) + 1)]


def test_a_group_in_which_all_are_away_disturbs_no_other() -> None:
    """Its void words are lost at the root: words that are sent and other groups' never wait."""
    design = build("star:3", operations="broadcast,all_reduce:sum,all_reduce:max@some")
    stand_ins = design.program.stand_ins
    everyone = np.array([[group == 0 for _, group in stand_ins]])
    some = [n for n, group in stand_ins if group]
    words = [
        [Given(9 * n, number) for n in range(20) for number in ([0, 2] if node in some else [0])]
        for node in range(6)
    ]
    traffic = as_traffic(design.program, words, away=everyone)
    run = simulate_ordered(design.program, traffic, width=6, cycles=400)
    nobody = simulate_ordered(design.program, replace(traffic, away=None), width=6)
    assert nobody.end == "drained"
    assert run.passing == nobody.passing


# Hardware


@pytest.mark.cases(1, ci=4)
@pytest.mark.parametrize("form", FORMS)
def test_hardware_equals_the_model(form, tmp_path) -> None:
    design = build(**form)
    sinks = "always" if design.always_ready else "half"
    runs = name_runs(design, f"away:{sinks}", cycles=700) + name_runs(design, "mixed", words=12)
    report = verify(design, runs, tmp_path)
    assert report.passed, [run.comparison for run in report.runs]


#: What is not as it should be, in hardware alone.
WRONG = """
a change while a word waits
  with m.If(self.o.ready | ~self.o.valid):
  with m.If(1):
own words are taken meanwhile
  self.i.ready.eq(self.o.ready & ~stands)
  self.i.ready.eq(self.o.ready)
nobody stands in
  stands.eq(self.away)
  stands.eq(0)
"""


@pytest.mark.parametrize(
    "texts",
    [None, *(pytest.param(texts, id=name) for name, texts, _ in listed(WRONG))],
)
def test_planted_faults_are_caught(texts, monkeypatch) -> None:
    design = build("ring:3", operations="broadcast,all_reduce:sum")
    if texts:
        built = planted(["streams.stand_in"], "streams.stand_in", *texts)
        monkeypatch.setattr("noc.hardware.ordered.node.StandIn", built.StandIn)
    assert side_by_side(design, going(design, 2), cycles=150)[1] == (texts is None)


def test_bits_of_other_groups_are_caught() -> None:
    design = build("star:3", operations="all_reduce:sum,barrier@some")
    traffic = going(design, 2)
    assert side_by_side(design, traffic, cycles=150)[1]
    turned = replace(traffic, away=np.roll(traffic.away, 1, axis=1))
    run = simulate_ordered(design.program, turned, width=6, cycles=150)
    assert differences(run, simulate_ordered(design.program, traffic, width=6, cycles=150))


# Around it


def test_a_folder_says_who_can_be_away(tmp_path, cli) -> None:
    words = "--operations", "all_reduce:sum,barrier@some", "--group", "some=213,132"
    out = generated(tmp_path / "out", "star:3", *words, "--void-words", "--stand-ins", "--width", 8)
    manifest = json.loads((out / "manifest.json").read_text())
    entries = {entry["label"]: entry["away"] for entry in manifest["nodes"]}
    assert entries["213"] == {"signal": "away_213", "groups": ["all", "some"]}
    assert entries["321"] == {"signal": "away_321", "groups": ["all"]}
    design = read_folder(out).design
    assert design.config.stand_ins
    config = replace(design.config, stand_ins=False)
    assert design.digest != replace(design, program=replace(design.program, config=config)).digest
    entries["213"]["groups"].reverse()
    (out / "manifest.json").write_text(json.dumps(manifest))
    refusal = cli.refusal("verify", "--verilog", out)
    assert "node 213: away: the groups are all, some" in refusal


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"void_words": False}, "stand_ins=True: gives void words; use void_words=True"),
        ({"fabric": "direct", "operations": None, "void_words": None}, "is for the ordered fabric"),
        ({"operations": "broadcast"}, "no operation joins words"),
    ],
)
def test_what_has_no_stand_ins_refuses_them(options, complaint) -> None:
    with pytest.raises(InputError, match=complaint):
        build(**options)


def test_a_pattern_that_does_not_fit_is_refused() -> None:
    design = build(operations="barrier")
    traffic = going(design, 1)
    with pytest.raises(InputError, match=r"away must be an array of bool of the shape \(509, 6\)"):
        simulate_ordered(design.program, replace(traffic, away=traffic.away[:, :5]))


def test_nodes_of_no_group_have_no_input() -> None:
    design = build("star:3", operations="broadcast,barrier@some")
    away = ["away" in entry for entry in build_manifest(design, [])["nodes"]]
    assert sum(away) == 3


def test_the_example_of_the_page_prints_what_stands_there(capsys) -> None:
    page = (Path(__file__).parent.parent / "docs" / "faults.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    exec(code, {})
    assert f"# {capsys.readouterr().out}" == code.splitlines(keepends=True)[-1]
