"""AXI-Stream and nodes with their own clocks, in emitted Verilog: nothing lost, mixed or late."""

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import folders
import pytest

from noc.design import FabricName, build_design, build_direct, build_ordered
from noc.emit.folder import write
from noc.endpoints import AxiStream, Endpoints
from noc.harness import BENCH
from noc.networks import build_network
from noc.programs.ordered_config import OrderedConfig
from noc.simulators import SIMULATORS, compose_test, execute, failures
from noc.verify.simulation import Simulation
from noc.verify.tools import environment

pytestmark = pytest.mark.cocotb

SPEC = "hypercube:2"

PORT = re.compile(r"^  (input|output) (\[\d+:0\] )?(\w+),?$", re.MULTILINE)


@dataclass(frozen=True)
class Variant:
    """A top: its endpoints, and the changes to its text, each a pattern and its replacement."""

    endpoints: Endpoints
    width: int = 16
    fabric: FabricName = "ordered"
    faults: tuple[tuple[str, str], ...] = ()
    operations: tuple[str, ...] | None = None
    more: tuple[tuple[str, Any], ...] = ()

    def write(self, folder: Path) -> None:
        built = build_design(
            build_network(SPEC),
            fabric=self.fabric,
            width=self.width,
            operations=self.operations,
            groups={"pair": [1, 2]} if self.operations else None,
            **dict(self.more),
        )
        write(self.endpoints.widened(built), folder, self.endpoints)


class Build:
    """The compiled variants, by name; those that differ in faults only share a folder."""

    def __init__(self, folder: Path, parts: Path, variants: dict[str, Variant]) -> None:
        self.names, self.folders = list(variants), {}
        written: dict[Variant, Path] = {}
        texts: dict[str, str] = {}
        for number, (name, variant) in enumerate(variants.items()):
            kind = replace(variant, faults=())
            if kind not in written:
                written[kind] = folder / str(number)
                variant.write(written[kind])
            self.folders[name] = written[kind]
            network, own = renamed(written[kind], number)
            for pattern, replacement in variant.faults:
                own, count = re.subn(pattern, replacement, own)
                assert count, f"{name}: {pattern} is not there"
            texts |= {**network, f"variant_{number}": own}
        sources = []
        for module, text in texts.items():
            sources.append(folder / f"{module}.v")
            sources[-1].write_text(text)
        often = {module: len(variants) for module in texts if module.startswith("network")}
        self.simulation = Simulation(folder, tuple(sources), often, long=False, parts=parts)
        tops = [texts[f"variant_{number}"] for number in range(len(variants))]
        self.simulation.bench.write_text("\n".join(selector(tops)))
        self.simulation.build()

    def run(self, name: str, only: str = "") -> str | None:
        """Run the bench of a variant, or only some of its tests; what went wrong, or None."""
        folder = self.folders[name]
        known = folders.manifest_of(folder)
        with mock.patch.object(sys, "path", [str(folder / "bench"), *sys.path]):
            results, log = (self.simulation.folder / file for file in ("results.xml", "cocotb.txt"))
            for file in (results, log):
                file.unlink(missing_ok=True)
            command = compose_test(
                *(SIMULATORS["verilator"], self.simulation.job, [list(known["benches"])[-1]]),
                folder=folder / "bench",
                results=results,
                plusargs=[f"+variant={self.names.index(name)}"],
            )
            execute(command, {**environment("verilator"), "COCOTB_TEST_FILTER": only}, log)
        if failures(results) == 0:
            return None
        return "; ".join(re.findall(r"AssertionError: (.+)", log.read_text()))


def renamed(folder: Path, number: int) -> tuple[dict[str, str], str]:
    """The modules of the network, and the text of a top with its endpoints, all renamed.

    Networks of one fabric and width are the same, and are called so.
    """
    known = folders.manifest_of(folder)
    top = known["axis" if "axis" in known else "node_clocks"]["top"]
    texts = {Path(f).stem: (folder / f).read_text() for f in known["files"] if f.endswith(".v")}
    does = "words" if "operations" in known else "broadcasts"
    does += "".join(f"_{known.get(key)}" for key in ("exchange", "kept_rounds", "start"))
    network, there = known["top"], f"network_{known['fabric']}_{known['width']}_{does}"
    own = "".join(text for module, text in texts.items() if module.startswith(top))
    own = own.replace(top, f"variant_{number}").replace(f"{network} ", f"{there} ")
    others = {
        module.replace(network, there): text.replace(network, there)
        for module, text in texts.items()
        if not module.startswith(top)
    }
    return others, own


def wires(span: str) -> int:
    """How many a port has."""
    return int(span[1:].partition(":")[0]) if span else 0


def selector(tops: list[str]):
    """The text of the bench."""
    instances = [PORT.findall(text.partition(");")[0]) for text in tops]
    ports: dict[str, tuple[str, str]] = {}
    for direction, span, port in (declared for listed in instances for declared in listed):
        # As wide as in any of them.
        ports[port] = direction, max(span, ports.get(port, ("", ""))[1], key=wires)
    yield f"module {BENCH} ("
    for place, (port, (direction, span)) in enumerate(ports.items()):
        comma = "," if place < len(ports) - 1 else ""
        kind = "wire" if direction == "input" else "reg"
        yield f"  {direction} {kind} {span}{port} /* verilator public_flat_rw */{comma}"
    yield ");"
    yield "  integer variant;"
    yield '  initial if ($value$plusargs("variant=%d", variant) == 0) variant = 0;'
    for number, declared in enumerate(instances):
        for direction, span, port in declared:
            if direction == "output":
                yield f"  wire {span}v{number}_{port};"
        yield f"  variant_{number} v{number} ("
        own = {"input": "variant == {number} ? {port} : 1'b0", "output": "v{number}_{port}"}
        yield ",\n".join(
            f"    .{port}({own[direction].format(number=number, port=port)})"
            for direction, _, port in declared
        )
        yield "  );"
    yield "  always @* begin"
    for port, (direction, _) in ports.items():
        if direction == "output":
            yield f"    {port} = 0;"
    for number, declared in enumerate(instances):
        yield f"    if (variant == {number}) begin"
        for direction, _, port in declared:
            if direction == "output":
                yield f"      {port} = v{number}_{port};"
        yield "    end"
    yield "  end"
    yield "endmodule"


MIXED = Endpoints(AxiStream())
WHOLE = Endpoints(AxiStream(packets="whole", packet_words=6))
CLOCKED = Endpoints(AxiStream(packets="whole", packet_words=6), "shared")

SUM = (("exchange", "all_reduce:sum"), ("round", 3))
READY = (("start", "ready"), ("sinks", "queued"), ("queue", 4))
ONE = (("start", "ready"), ("ejects", "one"))

OPERATIONS = ("broadcast", "send", "all_reduce:sum", "reduce:max@pair", "barrier@pair")

GOOD = {
    "interleaved": Variant(MIXED),
    "whole": Variant(WHOLE),
    "interleaved, a clock for each node": Variant(Endpoints(AxiStream(), "each")),
    "whole, a clock for all nodes": Variant(CLOCKED),
    "plain, a clock for each node": Variant(Endpoints(clocks="each"), width=19),
    "operations": Variant(MIXED, operations=OPERATIONS),
    "operations, a clock for all nodes": Variant(
        Endpoints(AxiStream(), "shared"), operations=OPERATIONS
    ),
    "operations, plain, a clock for each node": Variant(
        Endpoints(clocks="each"), operations=OPERATIONS
    ),
    "rounds": Variant(MIXED, fabric="timetable"),
    "rounds of all": Variant(MIXED, fabric="timetable", more=READY),
    "rounds of all, a clock for each node": Variant(
        Endpoints(AxiStream(), "each"), fabric="timetable", more=READY
    ),
    "rounds of all, plain, a clock for all nodes": Variant(
        Endpoints(clocks="shared"), fabric="timetable", more=READY
    ),
    "rounds in one stream": Variant(MIXED, fabric="timetable", more=ONE),
    "sums in one stream, a clock for each node": Variant(
        Endpoints(AxiStream(), "each"), fabric="timetable", more=SUM + ONE
    ),
    "an exchange by pulses": Variant(
        MIXED, fabric="timetable", more=(("exchange", "all_to_all"), ("start", "pulse"))
    ),
    "sums": Variant(MIXED, fabric="timetable", more=SUM),
    "sums of all, a clock for each node": Variant(
        Endpoints(AxiStream(), "each"), fabric="timetable", more=SUM + READY
    ),
    "direct, interleaved": Variant(MIXED, fabric="direct"),
    "direct, whole, a clock for all nodes": Variant(CLOCKED, fabric="direct"),
    "direct, plain, a clock for each node": Variant(Endpoints(clocks="each"), 19, "direct"),
}


class Fault(NamedTuple):
    """What is changed in the text of the endpoints, and the test of the bench that tells it."""

    endpoints: Endpoints
    pattern: str
    replacement: str
    test: str = "offer=1/take=0.4"
    fabric: FabricName = "ordered"
    operations: tuple[str, ...] | None = None
    more: tuple[tuple[str, Any], ...] = ()


FAULTS = {
    "a tlast is dropped": Fault(
        MIXED,
        r"assign m_axis__tlast = (.+);",
        r"assign m_axis__tlast = \1 && m_axis__tdata[2:0] != 5;",
    ),
    "a tid is wrong": Fault(
        MIXED,
        r"assign m_axis__tid = (.+);",
        r"assign m_axis__tid = \1 ^ (m_axis__tdata[4:0] == 9);",
    ),
    "a node has the number of another": Fault(MIXED, r"2'd2", "2'd1", fabric="direct"),
    "a word is dropped": Fault(
        MIXED,
        r"assign m_axis__tvalid = (.+);",
        r"assign m_axis__tvalid = \1 && m_axis__tdata[5:0] != 7;",
    ),
    "a word that waits is another": Fault(
        MIXED,
        r"assign m_axis__tdata = (.+);",
        r"assign m_axis__tdata = (\1) ^ (m_axis__tvalid & ~m_axis__tready);",
    ),
    "words for the wrong node": Fault(
        MIXED,
        r"assign inject__payload\[\d+:\d+\] = s_axis__tdest;",
        "",
        "each_operation",
        operations=OPERATIONS,
    ),
    "an operation that is another": Fault(
        MIXED,
        r"assign m_axis__tuser = (.+);",
        r"assign m_axis__tuser = \1 ^ (m_axis__tdata[3:0] == 5);",
        operations=OPERATIONS,
    ),
    "a source that is another, in rounds": Fault(
        MIXED, r"\.told__0\(6'h(\w+)\)", r".told__0(6'h\1 ^ 6'h1)", fabric="timetable", more=READY
    ),
    "a round that ends late": Fault(
        MIXED,
        r"assign m_axis__1__tlast = (.+);",
        r"assign m_axis__1__tlast = ~(\1);",
        fabric="timetable",
        more=READY,
    ),
    "a source that is another, in one stream": Fault(
        MIXED,
        r"assign m_axis__tid = (.+);",
        r"assign m_axis__tid = \1 ^ 1;",
        fabric="timetable",
        more=ONE,
    ),
    "a word that one of several streams drops": Fault(
        MIXED,
        r"assign m_axis__1__tvalid = (.+);",
        r"assign m_axis__1__tvalid = \1 && m_axis__1__tdata[5:0] != 7;",
        fabric="timetable",
    ),
    "a sum that is another": Fault(
        MIXED,
        r"\.told__0\(6'h(\w+)\)",
        r".told__0(6'h\1 ^ 6'h8)",
        "all_rounds",
        fabric="timetable",
        more=SUM,
    ),
    "a full ring takes words": Fault(WHOLE, r"== 4'h8;", "== 4'h9;", "everything_fills"),
    "a packet leaves before its end": Fault(
        WHOLE,
        r"assign w_en = stored & i__payload\[0\];",
        "assign w_en = stored & (i__payload[0] || i__payload[5:1] == 3);",
    ),
    "long packets are not cut": Fault(WHOLE, r"count == 3'h5", "count == 3'h7", "cut"),
    "a full queue takes words": Fault(
        CLOCKED, r"assign w_full = (.+);", "assign w_full = 0;", "everything_fills"
    ),
}

#: What the bench says of some.
SAYS = {
    "a word that waits is another": "changes before it is taken",
    "a round that ends late": "ends its round or does not|the round of .* does not end",
    "a sum that is another": r"got \d+ of sum|became",
    "a source that is another, in one stream": "is not the next one",
}

SIMPLE = [name for name, fault in FAULTS.items() if fault.endpoints is MIXED]
INSIDE = [name for name in FAULTS if name not in SIMPLE]


def built(factory, good: dict[str, Variant], faulty: list[str]) -> Build:
    variants = dict(good)
    for name in faulty:
        fault = FAULTS[name]
        change = fault.pattern, fault.replacement
        variants[name] = Variant(
            fault.endpoints,
            fabric=fault.fabric,
            faults=(change,),
            operations=fault.operations,
            more=fault.more,
        )
    return Build(factory.mktemp("axis"), factory.getbasetemp() / "parts", variants)


def check_caught(build: Build, name: str) -> None:
    trouble = build.run(name, FAULTS[name].test)
    says = SAYS.get(name, r"got \[.*\], not \[.*\]|got no operation")
    assert re.search(says, str(trouble)), trouble


def asked(request: pytest.FixtureRequest) -> set[str]:
    """The variants of which tests are run."""
    items = request.session.items
    return {
        item.callspec.params["name"]
        for item in items
        if item.path == request.path and request.fixturename in item.fixturenames
    }


@pytest.fixture(scope="module")
def build(request, tmp_path_factory) -> Build:
    names = asked(request)
    good = {name: variant for name, variant in GOOD.items() if name in names}
    return built(tmp_path_factory, good, [name for name in SIMPLE if name in names])


@pytest.fixture(scope="module")
def faults_inside(tmp_path_factory) -> Build:
    return built(tmp_path_factory, {}, INSIDE)


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize("name", GOOD)
def test_every_packet_arrives_whole_and_once_and_in_order(build: Build, name: str) -> None:
    assert build.run(name) is None


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize("name", SIMPLE)
def test_a_planted_fault_is_caught(build: Build, name: str) -> None:
    check_caught(build, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", INSIDE)
def test_a_fault_in_ring_or_queue_is_caught(faults_inside: Build, name: str) -> None:
    check_caught(faults_inside, name)


# More nodes, and what else can be chosen, each in a build of its own as a user has it.
LARGER = [
    ("star:4", MIXED, lambda net: build_ordered(net)),
    ("hypercube:4", WHOLE, lambda net: build_ordered(net, sources=range(3, 9))),
    ("uhc:3", Endpoints(AxiStream(packets="whole"), "each"), lambda net: returned(net)),
    ("uhc:3", Endpoints(clocks="shared"), lambda net: without_numbers(net)),
    ("star:4", MIXED, lambda net: build_direct(net)),
    (
        "scc:3",
        Endpoints(AxiStream(packets="whole", packet_words=16), "each"),
        lambda net: build_direct(net, ports="one"),
    ),
    ("uhc:3", Endpoints(AxiStream(last=False)), lambda net: build_design(net)),
    ("nk-star:4,2", WHOLE, lambda net: build_direct(net, sources="one")),
]


def returned(net):
    return build_ordered(net, config=OrderedConfig(own_words=True))


def without_numbers(net):
    return build_ordered(net, config=OrderedConfig(source_numbers=False, own_words=True))


def check_by_itself(folder, endpoints: Endpoints, whole) -> None:
    bench = list(write(endpoints.widened(whole), folder, endpoints)["benches"])[-1]
    folders.bench(folder, "run.py", "--bench", bench)


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "endpoints", "build_one"), LARGER)
def test_the_folder_runs_by_itself(tmp_path, spec: str, endpoints: Endpoints, build_one) -> None:
    check_by_itself(tmp_path / "out", endpoints, build_one(build_network(spec)))


@pytest.mark.parametrize(("cycles", "last"), [(1, True), (5, False)])
def test_a_round_ends_where_none_begins_before(cycles: int, last: bool) -> None:
    """In long rounds of sums a stream has some words behind those of the next round."""
    design = build_design(
        "ring:5",
        width=8,
        fabric="timetable",
        exchange="all_reduce:sum",
        round=cycles,
        start="ready",
    )
    assert Endpoints(AxiStream()).format(design).last == last


@pytest.mark.slow
@pytest.mark.parametrize("fabric", ["ordered", "direct"])
def test_a_word_may_be_one_bit(tmp_path, fabric: FabricName) -> None:
    """To cocotb that is no vector."""
    whole = build_design(build_network("uhc:2"), fabric=fabric, width=1)
    check_by_itself(tmp_path / "out", Endpoints(clocks="shared"), whole)
