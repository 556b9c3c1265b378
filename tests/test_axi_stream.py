"""AXI-Stream and nodes with their own clocks, in emitted Verilog: nothing lost, mixed or late."""

import re
import subprocess
import sys
from typing import NamedTuple

import pytest
from axis_bench import Build, Variant

from noc.design import FabricName, build_design, build_direct, build_ordered
from noc.emit.folder import write
from noc.endpoints import AxiStream, Endpoints
from noc.networks import build_network
from noc.programs.ordered_config import OrderedConfig

MIXED = Endpoints(AxiStream())
WHOLE = Endpoints(AxiStream(packets="whole", packet_words=6))
CLOCKED = Endpoints(AxiStream(packets="whole", packet_words=6), "shared")

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

SIMPLE = [name for name, fault in FAULTS.items() if fault.endpoints is MIXED]
INSIDE = [name for name in FAULTS if name not in SIMPLE]


def built(factory, good: dict[str, Variant], faulty: list[str]) -> Build:
    variants = dict(good)
    for name in faulty:
        fault = FAULTS[name]
        change = fault.pattern, fault.replacement
        variants[name] = Variant(
            fault.endpoints, fabric=fault.fabric, faults=(change,), operations=fault.operations
        )
    return Build(factory.mktemp("axis"), factory.getbasetemp() / "parts", variants)


def check_caught(build: Build, name: str) -> None:
    trouble = build.run(name, FAULTS[name].test)
    waiting = name == "a word that waits is another"
    says = "changes before it is taken" if waiting else r"got \[.*\], not \[.*\]|got no operation"
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


@pytest.mark.cocotb
@pytest.mark.cases(2)
@pytest.mark.parametrize("name", GOOD)
def test_every_packet_arrives_whole_and_once_and_in_order(build: Build, name: str) -> None:
    assert build.run(name) is None


@pytest.mark.cocotb
@pytest.mark.cases(2)
@pytest.mark.parametrize("name", SIMPLE)
def test_a_planted_fault_is_caught(build: Build, name: str) -> None:
    check_caught(build, name)


@pytest.mark.cocotb
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
    command = [sys.executable, folder / "bench" / "run.py", "--bench", bench]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize(("spec", "endpoints", "build_one"), LARGER)
def test_the_folder_runs_by_itself(tmp_path, spec: str, endpoints: Endpoints, build_one) -> None:
    check_by_itself(tmp_path / "out", endpoints, build_one(build_network(spec)))


@pytest.mark.cocotb
@pytest.mark.ci
@pytest.mark.parametrize("fabric", ["ordered", "direct"])
def test_a_word_may_be_one_bit(tmp_path, fabric: FabricName) -> None:
    """To cocotb that is no vector."""
    whole = build_design(build_network("uhc:2"), fabric=fabric, width=1)
    check_by_itself(tmp_path / "out", Endpoints(clocks="shared"), whole)
