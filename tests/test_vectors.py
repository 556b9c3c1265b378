"""Vectors of all nodes' signals: each bit of a port inside is the bit that the manifest says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from folders import manifest_of

from noc.design import build_design
from noc.emit.folder import build_files
from noc.emit.streams import streams_of
from noc.endpoints import AxiStream, Endpoints

OPERATIONS = ["broadcast", "send", "all_reduce:sum", "all_reduce:max"]

READY = {"start": "ready", "sinks": "queued", "queue": 2}

#: Designs whose nodes differ in what they have.
DESIGNS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("star:3", {}),
    "some sources": ("star:3", {"sources": [1, 4], "width": 7}),
    "one bit": ("ring:3", {"sources": [0, 2], "width": 1, "source_numbers": False}),
    "idle": ("star:3", {"sources": "one", "width": 9}),
    "trees": ("uhc:2", {"algorithm": "adst", "fabric": "direct", "width": 33}),
    "operations": ("ring:3", {"operations": OPERATIONS, "width": 8}),
    "watchdog": ("star:3", {"operations": OPERATIONS, "watchdog": 9, "width": 16}),
    "away": (
        "star:3",
        {
            "operations": [*OPERATIONS, "barrier@some"],
            "groups": {"some": [1, 2]},
            "void_words": True,
            "stand_ins": True,
            "width": 8,
        },
    ),
    "senders": ("ring:4", {"operations": ["broadcast", "send"], "sources": [0, 3], "width": 5}),
    "axi": ("ring:3", {"sources": [0, 2], "width": 16}),
    "axi, whole": ("ring:3", {"width": 8}),
    "axi, operations, clocks": ("ring:3", {"operations": OPERATIONS, "watchdog": 9, "width": 8}),
    "axi, turns": ("ring:3", {"sources": "one", "width": 8}),
    "clocks": ("star:3", {"sources": [1, 4], "width": 7}),
    "one clock": ("ring:3", {"width": 9}),
    "axi, rounds": ("ring:4", {"fabric": "timetable", "exchange": "all_to_all", "width": 8}),
    "clocks, rounds": ("star:3", {"fabric": "timetable", **READY}),
}

#: What is at their nodes, where it is not the network's own streams.
ENDPOINTS = {
    "axi": Endpoints(AxiStream(last=False)),
    "axi, whole": Endpoints(AxiStream(packets="whole", packet_words=3), "each"),
    "axi, operations, clocks": Endpoints(AxiStream(), "each"),
    "axi, turns": Endpoints(AxiStream(packets="whole")),
    "clocks": Endpoints(clocks="each"),
    "one clock": Endpoints(clocks="shared"),
    "axi, rounds": Endpoints(AxiStream()),
    "clocks, rounds": Endpoints(clocks="each"),
}

#: The last bit of a port or a vector, by its name and number.
Bit = tuple[str, int]


def files_of(kind: str, *, vector_ports: bool = True) -> dict[str, str]:
    spec, options = DESIGNS[kind]
    endpoints = ENDPOINTS.get(kind, Endpoints())
    design = endpoints.widened(build_design(spec, **options))
    return build_files(design, endpoints, vector_ports=vector_ports)


def inside(manifest: dict[str, Any]) -> dict[str, Any]:
    """What the manifest says of the module inside."""
    return manifest.get("axis") or manifest.get("node_clocks") or manifest


def parts(manifest: dict[str, Any], vector: str, number: int) -> Iterator[tuple[str, int, int]]:
    """The part of a signal that a node has in a vector: signal, first bit, bits or 0 for all."""
    node, end = manifest["nodes"][number], inside(manifest)["nodes"][number]
    if vector in node and "signal" in node[vector]:
        yield node[vector]["signal"], 0, 0
    for name, kind in (("node_clk", "clock"), ("node_rst", "reset")):
        if vector == name:
            yield end[kind], 0, 1
    for side, stream in streams_of(end, "inject", "s_axis", "eject", "m_axis"):
        kind = vector.removeprefix(f"{side}_")
        if kind in stream:
            yield stream[kind], 0, 0
        for field in stream.get("fields", ()):
            if field["name"] == kind:
                yield stream["payload"], field["first"], field["bits"]


def ports_of(text: str) -> dict[str, int]:
    """The bits of each port of the first module."""
    head = re.findall(r"(?m)^  (?:input|output) (?:\[(\d+):0\] )?(\w+)", text.partition(");")[0])
    return {name: int(high or 0) + 1 for high, name in head}


def bits_of(expression: str, bits: dict[str, int]) -> list[Bit]:
    """The bits of a concatenation, the lowest first."""
    result: list[Bit] = []
    for part in reversed(expression.strip("{}").split(", ")):
        name, high, low = re.fullmatch(r"(\w+)(?:\[(\d+)(?::(\d+))?\])?", part).groups()
        first, last = (0, bits[name] - 1) if high is None else (int(low or high), int(high))
        result += [(name, bit) for bit in range(first, last + 1)]
    return result


def differences(files: dict[str, str]) -> list[str]:
    """What in the module with vectors is not as the manifest says; it has nothing but wires."""
    manifest = json.loads(files["manifest.json"])
    described, top = manifest["vectors"], inside(manifest)["top"]
    text, inner = files[f"{described['top']}.v"], ports_of(files[f"{top}.v"])
    outer, wrong = ports_of(text), []
    expected: dict[Bit, Bit] = {}
    driven: dict[str, set[int]] = {}
    for vector in described["vectors"]:
        name, slice_ = vector["name"], vector["slice"]
        if outer[name] != slice_ * len(manifest["nodes"]):
            wrong.append(f"{name} has {outer[name]} bits")
        own = driven[name] = set()
        for number in range(len(manifest["nodes"])):
            for signal, first, count in parts(manifest, name, number):
                for bit in range(count or inner[signal]):
                    expected[signal, first + bit] = name, number * slice_ + bit
                    own.add(number * slice_ + bit)
        # Above a part of an output, and in place of one, there are zeros.
        zeros = re.findall(rf"assign ({name}\[\S+) = \d+'d0;", text)
        absent = {bit for part in zeros for _, bit in bits_of(part, outer)}
        rest = set(range(outer[name])) - own
        if absent != (rest if vector["direction"] == "output" else set()):
            wrong.append(f"{name} is zero at {absent}, not at {rest}")
    instance = dict(re.findall(r"(?m)^    \.(\w+)\((.*?)\),?$", text))
    if instance.keys() != inner.keys():
        wrong.append("the instance lacks ports")
    for port, expression in instance.items():
        right = [expected.get((port, bit), (port, bit)) for bit in range(inner[port])]
        if bits_of(expression, outer) != right:
            wrong.append(f"{port} is {expression}")
    lines = text.partition(");")[2].partition(f"  {top} network (")[0].split("\n")
    return wrong + [line for line in lines if line and not line.endswith("'d0;")]


@pytest.mark.cases(2, ci=11)
@pytest.mark.parametrize("kind", DESIGNS)
def test_vectors_carry_everything(kind: str) -> None:
    assert differences(files_of(kind)) == []


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("plain", "eject_source[2:0]", "eject_source[5:3]"),
        ("some sources", "inject_data[13:7]", "inject_data[20:14]"),
        ("some sources", "inject_ready[0] = 1'd0", "inject_ready[0] = 1'd1"),
        ("operations", ".dropped_1(dropped[1])", ".dropped_1(dropped[2])"),
        ("axi", "m_axis_tid[1:0]", "m_axis_tid[3:2]"),
        ("clocks", "node_clk[3]", "node_clk[2]"),
        ("clocks", "node_rst[3]", "node_rst[5]"),
    ],
)
def test_a_wrong_slice_is_noticed(kind: str, old: str, new: str) -> None:
    files = files_of(kind)
    name = json.loads(files["manifest.json"])["vectors"]["top"] + ".v"
    assert old in files[name]
    files[name] = files[name].replace(old, new)
    assert differences(files)


@pytest.mark.cases(1, ci=5)
@pytest.mark.parametrize("kind", DESIGNS)
def test_the_network_is_the_same_with_and_without(kind: str) -> None:
    without, files = files_of(kind, vector_ports=False), files_of(kind)
    manifest = json.loads(files["manifest.json"])
    vectors = f"{manifest['vectors']['top']}.v"
    assert {name: text for name, text in files.items() if name.endswith(".v")} == {
        name: text for name, text in without.items() if name.endswith(".v")
    } | {vectors: files[vectors]}
    (core,) = (text for name, text in files.items() if name.endswith(".core"))
    assert f"{vectors}: {{file_type: verilogSource-2005}}" in core
    assert f'toplevel: "{manifest["vectors"]["top"]}"' in core


def test_one_file_per_module_has_them_too() -> None:
    files = build_files(build_design("ring:3"), one_file_per_module=True, vector_ports=True)
    assert (
        files["noc_ring_3_vectors.v"]
        == build_files(build_design("ring:3"), vector_ports=True)["noc_ring_3_vectors.v"]
    )


def test_the_whole_is_told_and_named_by_a_file_s_stem(tmp_path: Path, cli) -> None:
    graph = tmp_path / "my lab.v2.json"
    graph.write_text(json.dumps({"nodes": ["a", "b"], "links": [{"from": "a", "to": "b"}]}))
    folder, top = tmp_path / "out", "noc_my_lab_v2_axis"
    command = ("generate", f"file:{graph}", "-o", folder, "--vector-ports")
    told = cli.out(*command, "--axi-stream", "--node-clocks", "shared")
    assert f"{top}_vectors around {top} around noc_my_lab_v2\n" in told
    described = manifest_of(folder)["vectors"]
    assert described["node_clock"] == "node_clk"
    instance = (folder / f"{top}_vectors_instance.vh").read_text()
    assert "wire [1:0] s_axis_tvalid;  // input" in instance
    assert "//   1: b\n" in instance
    assert f"{top}_vectors.v\n" in (folder / f"{top}_vectors.f").read_text()
    assert f"| `{top}_vectors.v` | the same with one vector" in (folder / "README.md").read_text()
