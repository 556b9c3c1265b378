"""Words that follow a cycle after it is settled which of them goes on.

Parts that announce their words are proven to do what those do that do not, and so are whole
networks, whose sinks get all words a cycle later; the Verilog of others is compared with the
model, which knows nothing of it but that cycle.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Assert, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from folders import change, generated, manifest_of
from formal import tool
from formal.planting import planted
from ordered_runs import moved

from noc import streams
from noc.design import build_design
from noc.emit.folder import write
from noc.emit.verilog import modules
from noc.errors import InputError
from noc.hardware import BroadcastNetwork
from noc.hardware.ordered import Node
from noc.streams import Announce, Announced, Arrive, Merge, Postpone
from noc.verify import mixture, verify
from noc.verify.folder import read_folder

WIDTH = 2

#: Makes a part whose streams announce their words, or do not.
PARTS: dict[str, Callable[..., Any]] = {
    "buffer 1": lambda known, **how: known.OneSlot(WIDTH, **how),
    "buffer 2": lambda known, **how: known.TwoSlots(WIDTH, **how),
    "merge 0": lambda known, **how: known.Merge(WIDTH, weights=(1, 1), slots=0, **how),
    "merge 1": lambda known, **how: known.Merge(WIDTH, weights=(3, 1), slots=1, **how),
    "merge 2": lambda known, **how: known.Merge(WIDTH, weights=(1, 2), slots=2, **how),
}


def passed_on(m: Module, word: Any, name: str) -> Signal:
    """What an announced stream shows of a stream."""
    seen = Signal(WIDTH, name=f"seen_{name}")
    m.d.sync += seen.eq(Mux(word.valid & word.ready, word.payload, 0))
    return seen


class PartMiter(wiring.Component):
    """A part of each form with the same words and sinks, and what is promised of both."""

    def __init__(self, name: str, known: Any = streams) -> None:
        self.plain, self.announced = PARTS[name](streams), PARTS[name](known, announced=True)
        super().__init__({})

    @property
    def ports(self) -> list[Signal]:
        """Words that come, and when the sink is ready."""
        return [
            Value.cast(getattr(end, signal))
            for name, end in self._ends()
            for signal in (("ready",) if name == "o" else ("valid", "payload"))
        ]

    def _ends(self) -> Iterator[tuple[str, Any]]:
        for name in self.plain.signature.members:
            yield name, getattr(self.plain, name)

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.plain, m.submodules.announced = self.plain, self.announced
        for name, end in self._ends():
            other = getattr(self.announced, name)
            seen = passed_on(m, end, name)
            if name == "o":
                m.d.comb += other.ready.eq(end.ready)
                m.d.comb += Assert(other.valid == end.valid)
                m.d.comb += Assert(other.payload == seen)
            else:
                m.d.comb += [other.valid.eq(end.valid), other.payload.eq(seen)]
                m.d.comb += Assert(other.ready == end.ready)
        return m


@tool.proofs
@pytest.mark.parametrize("name", PARTS)
def test_a_part_does_the_same_a_cycle_later(tmp_path: Path, name: str) -> None:
    tool.prove(tmp_path, PartMiter(name)).check("PASS")


#: What is wrong: the module, a text of it and another, and the part in which it shows.
FAULTS = {
    "a slot is written at once": (
        *("buffers", "a_cycle_later(m, self.i.valid & ready)", "self.i.valid & ready"),
        "buffer 2",
    ),
    "the other slot is shown": ("buffers", "(ready, ~ready)", "(~ready, ready)", "buffer 2"),
    "a word does not go on to the other slot": (
        *("buffers", "oldest.eq(newest)", "oldest.eq(self.i.payload)"),
        "buffer 2",
    ),
    "a slot is always shown": ("buffers", "shown(slot, gone)", "Value.cast(slot)", "buffer 1"),
    "a slot is shown while it waits": (
        *("buffers", "a_cycle_later(m, valid & self.o.ready)", "a_cycle_later(m, valid)"),
        "buffer 1",
    ),
    "one word hides the other": (
        *("merge", "Value.cast(first) | Value.cast(other)", "Value.cast(first)"),
        "merge 0",
    ),
}


@tool.proofs
@pytest.mark.cases(2)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, fault: tuple[str, str, str, str]) -> None:
    where, right, wrong, name = fault
    names = ["streams.announced", "streams.buffers", "streams.merge"]
    known = planted(names, f"streams.{where}", right, wrong)
    if where == "buffers":
        known = planted(names[:2], f"streams.{where}", right, wrong)
    tool.prove(tmp_path, PartMiter(name, known), traces=False).check("FAIL")


class ThereAndBack(wiring.Component):
    """From a stream to one that announces its words, by a register more or none, and back."""

    def __init__(self, *, late: bool) -> None:
        self._late = late
        ends = {"i": In(stream.Signature(8)), "o": Out(stream.Signature(8, always_ready=True))}
        super().__init__({**ends, "stop": In(1)})

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.announce = first = Announce(8)
        m.submodules.arrive = last = Arrive(8, cycles=1 + self._late, stops=True)
        wiring.connect(m, wiring.flipped(self.i), first.i)
        source: Any = first
        if self._late:
            m.submodules.postpone = source = Postpone(8)
            wiring.connect(m, first.o, source.i)
        wiring.connect(m, source.o, last.i)
        wiring.connect(m, last.o, wiring.flipped(self.o))
        m.d.comb += last.stop.eq(self.stop)
        return m


@pytest.mark.parametrize("late", [False, True], ids=["a cycle", "two cycles"])
def test_a_word_comes_after_it_was_taken(late: bool) -> None:
    part = ThereAndBack(late=late)
    result = moved(part, {"i": [7, None, 9, 11]}, {"o": []}, 6)
    assert result["i"] == [(0, 7), (2, 9), (3, 11)]
    assert result["o"] == [(cycle + 1 + late, word) for cycle, word in result["i"]]
    stopped = moved(ThereAndBack(late=late), {"i": [7]}, {"o": []}, 6, {"stop": 1})
    assert stopped == {"i": [], "o": []}


def test_no_buffer_is_behind_words_that_are_seen_after_two_cycles() -> None:
    with pytest.raises(ValueError, match=r"^slots must be 0 if payloads follow after 2 cycles$"):
        Merge(8, weights=(1, 1), slots=2, announced=2)


def test_announced_streams_of_equal_words_are_equal() -> None:
    assert Announced(8) == Announced(8)
    assert Announced(8) != Announced(9)
    assert Announced(8) != Announced(8, 2)
    assert Announced(8) != stream.Signature(8)
    assert repr(Announced(8, 2)) == "Announced(8, 2)"


# Networks


class NetworkMiter(wiring.Component):
    """A network of each form, with the same words and sinks."""

    def __init__(self, spec: str, **options: Any) -> None:
        plain, ahead = (
            build_design(spec, width=WIDTH, lookahead=lookahead, **options)
            for lookahead in (False, True)
        )
        self.plain, self.ahead = BroadcastNetwork(plain), BroadcastNetwork(ahead)
        super().__init__({})

    @property
    def ports(self) -> list[Signal]:
        """All ports of one, which are inputs of the other, too."""
        return tool.ports_of(self.plain)

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.plain, m.submodules.ahead = self.plain, self.ahead
        for name in self.plain.signature.members:
            one, other = getattr(self.plain, name), getattr(self.ahead, name)
            if name.startswith("inject"):
                m.d.comb += [other.valid.eq(one.valid), other.payload.eq(one.payload)]
                m.d.comb += Assert(one.ready == other.ready)
            else:
                valid, payload = Signal(), Signal.like(Value.cast(one.payload))
                m.d.sync += [valid.eq(one.valid), payload.eq(one.payload)]
                m.d.comb += Assert(valid == other.valid)
                m.d.comb += Assert((payload == Value.cast(other.payload)) | ~valid)
        return m


PATH = f"file:{Path(__file__).parent / 'data' / 'path.json'}"

PROVEN = [
    (PATH, {"sinks": "always-ready"}),
    ("star:3", {"sinks": "always-ready", "source_numbers": False}),
    ("tree:2,2", {"sinks": "always-ready"}),
]


@tool.proofs
@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize(("spec", "options"), PROVEN, ids=["path", "star:3", "tree:2,2"])
def test_a_network_does_the_same_a_cycle_later(tmp_path: Path, spec: str, options) -> None:
    tool.prove(tmp_path, NetworkMiter(spec, **options)).check("PASS")


@tool.proofs
@pytest.mark.ci
def test_a_network_that_shows_words_too_late_is_found(tmp_path: Path) -> None:
    names = ["streams.announced", "hardware.ordered.node"]
    right = "for _ in range(self._cycles)"
    known = planted(names, "streams.announced", right, "for _ in range(self._cycles - 1)")
    built = NetworkMiter(PATH, sinks="always-ready")
    assembly: Any = built.ahead._assembly
    parts = [
        replace(part, build=partial(known.Node, *part.build.args, **part.build.keywords))
        for part in assembly.parts
    ]
    built.ahead._assembly = replace(assembly, parts=tuple(parts))
    tool.prove(tmp_path, built, traces=False).check("FAIL")


OPERATIONS = ["broadcast", "send", "all_reduce:sum", "barrier"]

COMPARED = [
    ("star:4", {"sinks": "always-ready"}),
    ("best:24,5", {"sinks": "always-ready", "source_numbers": False, "link_registers": 2}),
    ("mesh:3,2", {"sinks": "always-ready", "operations": OPERATIONS, "own_words": "return"}),
    ("uhc:3", {"sinks": "queued", "queue": 3, "operations": OPERATIONS, "link_registers": 1}),
    ("ring:6", {"sinks": "queued", "queue": 2, "sources": [0, 3], "sink_timeout": 9}),
]


@pytest.mark.cases(0, ci=2)
@pytest.mark.cocotb
@pytest.mark.parametrize(("spec", "options"), COMPARED, ids=[spec for spec, _ in COMPARED])
def test_the_verilog_equals_the_model(tmp_path: Path, spec: str, options) -> None:
    design = build_design(spec, width=8, lookahead=True, **options)
    assert verify(design, mixture(design, words=12, cycles=None, seed=1), tmp_path).passed


@pytest.mark.ci
def test_a_folder_says_when_words_are_seen(cli, tmp_path: Path) -> None:
    arguments = ("star:3", "--sinks", "always-ready")
    plain = manifest_of(generated(tmp_path / "plain", *arguments))
    folder = generated(tmp_path / "out", *arguments, "--lookahead")
    manifest = manifest_of(folder)
    assert manifest["lookahead"] is True
    assert "lookahead" not in plain
    assert {link["carries"] for link in manifest["links"] if "payload_delay" in link} == {"up"}
    # The wires are the same.
    assert manifest["contract"] == plain["contract"]
    assert [node["up"] for node in manifest["nodes"]] == [node["up"] for node in plain["nodes"]]
    assert manifest["arcs"] == plain["arcs"]
    cli.out("verify", "--verilog", folder, "--traffic", "full", "--words", "9")
    up = next(number for number, link in enumerate(manifest["links"]) if link["carries"] == "up")
    change(folder, "manifest", lambda manifest: manifest["links"][up].pop("payload_delay"))
    told = cli.refusal("verify", "--verilog", folder)
    assert f"links[{up}]: payload_delay must be 1, not 0" in told


@pytest.mark.cases(0, ci=2)
@pytest.mark.cocotb
@pytest.mark.parametrize("options", [{"sinks": "always-ready"}, {"sinks": "queued", "queue": 2}])
def test_a_network_without_the_register_at_the_root_equals_its_model(tmp_path, options) -> None:
    """Folders of former releases have none there."""
    design = build_design("star:3", width=8, lookahead=True, **options)
    program = design.program
    plans = tuple(
        replace(plan, turn_slots=0, depth=max(0, plan.depth - 1)) for plan in program.plans
    )
    older = replace(design, program=replace(program, plans=plans))
    assert older.program.down_cycles.max() == program.down_cycles.max() - 1
    write(older, tmp_path / "older")
    assert read_folder(tmp_path / "older").design.digest == older.digest != design.digest
    assert verify(older, mixture(older, words=12, cycles=None, seed=1), tmp_path).passed


def test_a_word_more_may_pass_the_root_before_another() -> None:
    plain, ahead = (
        build_design("star:4", sinks="always-ready", lookahead=lookahead).program
        for lookahead in (False, True)
    )
    for source in plain.sources:
        assert ahead.most_waited(source) == plain.most_waited(source) + 1


def test_a_node_has_a_register_more_and_chooses_no_payload() -> None:
    texts = []
    for lookahead in (False, True):
        design = build_design("star:4", sinks="always-ready", lookahead=lookahead)
        texts.append("".join(module.text for module in modules(design)))
    slots = [len(re.findall(r"reg \[\d\d:0\]", text)) for text in texts]
    assert slots[1] > slots[0]
    choices = [len(re.findall(r"assign .* \? .*payload.* : .*payload", text)) for text in texts]
    assert choices[1] == 0 < choices[0]


def test_it_is_refused_where_words_wait_on_their_way_down() -> None:
    for options in ({}, {"sinks": "stalling"}):
        with pytest.raises(InputError, match=r"^lookahead=True: needs sinks for which no word"):
            build_design("star:3", lookahead=True, **options)
    with pytest.raises(InputError, match=r"^lookahead=True: is for the ordered fabric only"):
        build_design("star:3", fabric="direct", sinks="always-ready", lookahead=True)
    program = build_design("star:3").program
    with pytest.raises(ValueError, match=r"^look-ahead is for sinks for which"):
        Node(program.plans[0], program.words(8), lookahead=True)
