"""Registers that are protected: in three copies, or so that they tell when they flip."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amaranth.hdl import Cat, Instance, Signal
from folders import generated

from noc.design import build_design
from noc.emit import checking
from noc.emit.checking import check
from noc.emit.verilog import modules
from noc.emit.voting import triple
from noc.errors import InputError
from noc.faults.bench import build_subject, usual_run
from noc.faults.campaign import Campaign
from noc.hardware import BroadcastNetwork
from noc.hardware.ordered import node as nodes
from noc.hardware.ordered.words import ALARM
from noc.model.ordered.events import Values
from noc.programs import ordered
from noc.programs.word_format import WordFormat
from noc.verify import name_runs, verify
from noc.verify.runs import run

DETECT: dict[str, Any] = {"protect": "detect"}
TMR: dict[str, Any] = {"protect": "tmr"}
LEAN = {"sinks": "always-ready"}
LINKS = {"link_registers": 1}
JOINS = {"operations": "broadcast,all_reduce:sum"}
SENDS = {"operations": "broadcast,send"}

DESIGNS: list[tuple[str, dict[str, Any]]] = [
    ("star:3", {}),
    ("star:3", LEAN),
    ("ring:4", LINKS),
    ("ring:3", JOINS | LINKS),
]
LARGER: list[tuple[str, dict[str, Any]]] = [
    ("mesh:2,3", LINKS | LEAN),
    ("star:3", SENDS),
    ("star:3", SENDS | LEAN),
    ("best:6", {"source_numbers": False}),
    ("uhc:2", {"own_words": "return"}),
    ("ring:3", {"sink_timeout": 9}),
]


ADFF = "$adff $1\n    parameter \\CLK_POLARITY 1"

#: Of which all registers have copies.
VOTED: list[tuple[str, dict[str, Any]]] = [
    ("star:3", {}),
    ("uhc:2", {"fabric": "direct", "sinks": "always-ready"}),
    ("ring:3", {"fabric": "timetable"}),
    ("mesh:2,3", {"fabric": "direct", "link_registers": 1}),
    ("star:3", {"operations": "broadcast,all_reduce:sum,barrier", "group_queue": 1}),
    ("best:9", {"sinks": "always-ready", "source_numbers": False}),
]
ALL = [(spec, options | TMR) for spec, options in VOTED]
ALL += [(spec, options | DETECT) for spec, options in (*DESIGNS, *LARGER)]


@pytest.mark.cases(1, ci=5)
@pytest.mark.parametrize(("spec", "options"), ALL)
def test_the_verilog_does_what_the_model_does(
    spec: str, options: dict[str, Any], tmp_path: Path
) -> None:
    """And no alarm is up."""
    design = build_design(spec, width=5, **options)
    assert verify(design, name_runs(design, words=10), tmp_path).passed


@pytest.mark.ci
@pytest.mark.parametrize("fault", ["", "model", "number"])
@pytest.mark.parametrize("options", [{"width": 2}, LEAN | {"width": 20}])
def test_the_parity_on_links_is_compared(
    fault: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one bit and of several; with a wrong one of the model, or of the numbers of nodes."""
    if fault == "model":
        monkeypatch.setattr(Values, "parity", property(lambda self: np.zeros_like(self.source)))
    if fault == "number":
        monkeypatch.setattr(WordFormat, "parity_of", lambda *_: 0)
    design = build_design("ring:3", **options, **DETECT)
    assert verify(design, name_runs(design, words=3), tmp_path).passed == (not fault)


def test_a_parity_is_of_all_bits_or_of_sixteen() -> None:
    whole = build_design("ring:3", width=40, **DETECT).words
    assert whole.parity_parts == [{"data": range(40), "source": range(2)}]
    words = build_design("ring:3", width=40, **DETECT, **LEAN).words
    assert words.inside["parity"] == 3
    parts = {"data": range(16)}, {"data": range(16, 32)}
    assert words.parity_parts == [*parts, {"data": range(32, 40), "source": range(2)}]
    assert words.parity_of("data", 1 << 15 | 1 << 16 | 3 << 32) == 0b011
    assert [words.parity_of("source", number) for number in range(4)] == [0, 4, 4, 0]


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize(("spec", "options"), VOTED)
def test_all_registers_have_copies(spec: str, options: dict[str, Any]) -> None:
    bare = build_design(spec, width=5, **options)
    design = build_design(spec, width=5, **TMR, **options)
    assert design.digest != bare.digest
    assert bare.digest == build_design(spec, width=5, protect="none", **options).digest
    for plain, voted in zip(modules(bare), modules(design), strict=True):
        assert plain.name == voted.name
        registers = re.findall(r"@\(posedge clk\)\n", plain.text)
        inside, *copies = voted.text.split(f"module {plain.name}_voted ")
        assert "posedge" not in inside
        assert plain.text.count("module ") == inside.count("module ")
        assert len(re.findall(rf"^  {plain.name}_voted #\($", inside, re.M)) == len(registers)
        assert len(copies) == bool(registers)


@pytest.mark.cases(2, ci=3)
@pytest.mark.parametrize(("spec", "options"), [*DESIGNS, *LARGER])
def test_all_registers_are_checked(spec: str, options: dict[str, Any]) -> None:
    bare = build_design(spec, width=5, **options)
    design = build_design(spec, width=5, **DETECT, **options)
    assert design.digest != bare.digest
    for plain, checked in zip(modules(bare)[1:], modules(design)[1:], strict=True):
        assert plain.name == checked.name
        registers = len(re.findall(r"@\(posedge clk\)\n", plain.text))
        inside, *copies = re.split(rf"module {plain.name}_(?:copy|checked|voted) ", checked.text)
        instances = re.findall(rf"^  {plain.name}_(copy|checked|voted) #\($", inside, re.M)
        assert len(instances) == registers
        # Those of the alarm, and no other, are as they were.
        left = len(re.findall(r"@\(posedge clk\)\n", inside))
        if "corrupt" in inside:
            assert left == (3 if re.search(r"reg there\b", inside) else 1)
            assert set(instances) <= {"copy", "checked"}
        else:
            assert left == 0
            assert set(instances) <= {"copy", "voted"}
        assert copies


def campaign(folder: Path, spec: str, words: int = 1, **options: Any) -> Counter[str]:
    """What becomes of all flips."""
    design = build_design(spec, **DETECT, **options)
    chosen = run(design, usual_run(design), words=words, cycles=None, seed=1)
    flips = Campaign(build_subject(design, chosen, folder), "flip", None, seed=0)
    assert flips.total == len(flips.subject.gates.registers) * flips.subject.bench.busy
    return Counter(each.outcome for batch in range(flips.batches) for each in flips.play(batch))


SMALL = [(spec, options | {"width": 2}) for spec, options in (*DESIGNS, *LARGER)]


@pytest.mark.cases(0, ci=4)
@pytest.mark.parametrize(
    ("spec", "options"), [*SMALL, ("ring:3", {"width": 1, "source_numbers": False})]
)
def test_no_flip_does_harm(spec: str, options: dict[str, Any], tmp_path: Path) -> None:
    outcomes = campaign(tmp_path, spec, **options)
    assert set(outcomes) == {"masked", "detected"}
    assert outcomes["detected"] > outcomes.total() / 4


@pytest.mark.ci
@pytest.mark.parametrize("options", [LEAN, LEAN | SENDS, LEAN | {"own_words": "return"}])
def test_no_flip_does_harm_where_words_have_several_parities(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordered, "_PARITY_PART", 2)
    outcomes = campaign(tmp_path, "ring:3", width=4, **options)
    assert set(outcomes) == {"masked", "detected"}


def without_parity(self: Any, m: Any, source: Any) -> None:  # noqa: ARG001
    differ, told = Signal(), Signal(attrs={ALARM: 1})
    m.submodules.differ = Instance(nodes.DIFFER, o_differ=differ)
    m.d.comb += self.corrupt.eq(Cat(0, told))
    m.d.sync += told.eq(differ)


#: Each does harm: the parity is not looked at; copies are not compared; what forks have sent, or
#: whether a buffer has a word, or room, has one copy. (After a flip of the turn of a merge the
#: order of words is another one, which is right as well.)
PLANTED = ["parity", "compare", "fork", "valid", "ready"]


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize("fault", PLANTED)
def test_planted_faults_do_harm(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault == "parity":
        monkeypatch.setattr(nodes.Node, "_tell", without_parity)
    elif fault == "compare":
        spoilt = checking._CHECKED.replace("q != other", "0")
        assert spoilt != checking._CHECKED
        monkeypatch.setattr(checking, "_CHECKED", spoilt)
    else:
        is_word = checking._Module._is_word
        seen = []

        def left_out(self: Any, register: Any) -> bool:
            within = fault == "fork" and "fork" in checking._name(self._text)
            if within or fault in register.q:
                seen.append(register)
                return True
            return is_word(self, register)

        monkeypatch.setattr(checking._Module, "_is_word", left_out)
    outcomes = campaign(tmp_path, "star:3", words=2, width=2)
    assert outcomes["wrong"] + outcomes["hung"] > 20
    assert fault in ("parity", "compare") or seen


@pytest.mark.ci
def test_words_that_go_on_nowhere_are_looked_at_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where none waits, too: if only leaves looked, flips in words for inner nodes did harm."""
    leaf = property(lambda node: not node._plan.down)
    monkeypatch.setattr(nodes.Node, "_looks", leaf)
    assert campaign(tmp_path, "star:3", words=2, width=2, **(SENDS | LEAN))["wrong"] > 20


@pytest.mark.ci
def test_the_command_tells_of_harm(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("inject", "ring:3", "--width", "2", "--words", "1", "--protect", "detect")
    assert cli(*words, "--injections", "500")[0] == 0
    monkeypatch.setattr(nodes.Node, "_tell", without_parity)
    assert cli(*words, "--injections", "500")[0] == 1


def test_amaranth_designs_instantiate_the_verilog() -> None:
    for protect in ("tmr", "detect"):
        with pytest.raises(InputError, match=f"protect='{protect}': is of the Verilog"):
            BroadcastNetwork(build_design("star:3", protect=protect))
    with pytest.raises(InputError, match=r"protect='twice': none, tmr or detect are allowed"):
        build_design("star:3", protect="twice")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "cell", "message"),
    [
        (check, "\\other \\part\n    connect \\a \\b", "'detect': .*flips in registers of other"),
        (check, ADFF, "'detect': .*an asynchronous reset"),
        (triple, ADFF, "'tmr': a register with an asynchronous reset"),
        (
            triple,
            "$dff $1\n    parameter \\CLK_POLARITY 0",
            "the falling edge of its clock, has no",
        ),
    ],
)
def test_registers_of_other_kinds_are_refused(make: Any, cell: str, message: str) -> None:
    """A user's operator may have any."""
    with pytest.raises(InputError, match=f"protect={message}|{message}"):
        make(f"module \\some\n  cell {cell}\n  end\nend\n", "some")


def test_words_have_a_parity_where_nodes_detect() -> None:
    design = build_design("ring:3", **DETECT)
    plan = design.program.plans[0]
    with pytest.raises(ValueError, match="words have a parity where nodes detect"):
        nodes.Node(plan, design.words)
    assert design.words.inside["parity"] == 1
    assert "parity" not in design.words.inject | design.words.eject


@pytest.mark.ci
def test_a_folder_says_that_it_has_copies(cli, tmp_path: Path) -> None:
    folder = generated(tmp_path / "out", "ring:3", "--protect", "tmr")
    assert cli.facts("verify", "--verilog", folder, "--words", "3")["protect"] == "tmr"


@pytest.mark.slow
@pytest.mark.parametrize("protect", ["tmr", "detect"])
@pytest.mark.parametrize("family", ["ecp5", "ice40"])
def test_synthesis_leaves_the_copies(cli, family: str, protect: str) -> None:
    """Also of bits that are always the same, as those of the number of a node."""
    words = ("ring:4", "--width", "4", "--protect", protect)
    assert cli.facts("verify", *words, "--words", "4", "--netlist", family)["mismatches"] == 0
    facts = cli.facts("synth", *words, "--target", family)
    found = sum(count for cell, count in facts["cells"].items() if "FF" in cell)
    text = [module.text for module in modules(build_design("ring:4", width=4, protect=protect))]
    assert found >= sum(map(count_bits, repeated(text)))


def repeated(texts: list[str]) -> list[str]:
    """The modules of all nodes, from that of the top on."""
    named = {re.findall(r"^module (\w+)", text, re.M)[0]: text for text in texts}
    top, *_ = texts
    return [text for name, text in named.items() for _ in re.findall(rf"^  {name} ", top, re.M)]


def count_bits(text: str) -> int:
    """The bits of all copies in a module."""
    kinds = {"copy": 1, "checked": 2, "voted": 3}
    instances = re.findall(r"^  \w+_(copy|checked|voted) #\((.*?)\) ", text, re.M | re.S)
    bits = [
        kinds[kind] * int(re.findall(r"WIDTH\(32'd(\d+)\)", pins)[0])
        for kind, pins in instances
        if "INIT(INIT)" not in pins
    ]
    assert bits
    return sum(bits)
