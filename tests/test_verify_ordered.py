"""The ordered fabric's Verilog against its model, in many forms, and with operations."""

import json
import re
from pathlib import Path

import pytest
from folders import copied, generated, manifest_of

from noc.design import build_design
from noc.emit.folder import build_files
from noc.endpoints import AxiStream, Endpoints
from noc.model.ordered import Given, as_traffic, simulate_ordered

RING = Path(__file__).parent / "data" / "one-way-ring.graphml"


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize(
    "arguments",
    [
        ("uhc:3", "--link-registers", "1", "--queue", "3", "--width", "7"),
        ("mesh:2,3", "--sources", "0.0,1.2", "--no-source-numbers", "--width", "40"),
        (f"file:{RING}", "--own-words", "return", "--root", "n2", "--width", "31"),
    ],
    ids=["uhc-registers-queue", "mesh-two-sources", "one-way-ring"],
)
def test_the_verilog_equals_the_model(cli, arguments: tuple[str, ...]) -> None:
    traffic = "single,full:bursty,endless,dense:half"
    result = cli.facts("verify", *arguments, "--traffic", traffic, "--cycles", "400")
    assert result["mismatches"] == 0
    assert result["events"] > 1000
    assert result["fabric"] == "ordered"


@pytest.mark.ci
def test_a_folder_is_verified_with_the_options_it_was_written_with(cli, tmp_path: Path) -> None:
    registers = tmp_path / "registers.json"
    registers.write_text('[{"from": "0", "to": "1", "registers": 2}]')
    options = ("--link-registers", registers, "--sources", "1,2", "--queue", "2", "--width", "5")
    folder = generated(tmp_path / "out", "ring:3", *options)
    known = manifest_of(folder)
    assert known["sources"] == ["1", "2"]
    assert known["registers_of_links"] == [{"from": "0", "to": "1", "registers": 2}]
    assert ["inject" in node for node in known["nodes"]] == [False, True, True]
    result = cli.facts("verify", "--verilog", folder, "--traffic", "full", "--words", "20")
    assert (result["mismatches"], result["senders"]) == (0, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"from": "0", "to": "9", "registers": 2}]', "'9'"),
        ('[{"from": "0", "to": "2", "registers": 2}]', "has no link from 0 to 2"),
        ('[{"from": "0", "to": "1", "registers": -1}]', "from 0 to 64 are allowed"),
        ('[{"from": "0", "to": "1", "registers": "two"}]', "from 0 to 64 are allowed"),
        ('{"from": "0"}', "must be a number, or a JSON file"),
        ("[", "must be a number, or a JSON file"),
        ("{}", "must be a number, or a JSON file"),
        (
            '[{"from": "0", "to": "1", "registers": 1}, {"from": "0", "to": "1", "registers": 2}]',
            "the link from 0 to 1 is named twice",
        ),
    ],
)
def test_a_bad_file_of_registers_is_one_line(cli, tmp_path: Path, text, message) -> None:
    path = tmp_path / "registers.json"
    path.write_text(text)
    arguments = ("generate", "ring:4", "--link-registers", path, "-o", tmp_path / "out")
    assert message in cli.refusal(*arguments)


def test_names_of_link_registers_are_those_of_no_node(tmp_path: Path) -> None:
    """Nodes whose labels end as numbered wires could."""
    graph = tmp_path / "a.json"
    links = [{"from": "a", "to": "a_1"}, {"from": "a_1", "to": "a_1_1"}]
    graph.write_text(json.dumps({"nodes": ["a", "a_1", "a_1_1"], "links": links}))
    folder = generated(tmp_path / "out", f"file:{graph}", "--link-registers", "3")
    top = (folder / f"{manifest_of(folder)['top']}.v").read_text()
    declared = re.findall(r"^  wire (?:\[\d+:0\] )?(\w+);", top, re.MULTILINE)
    instances = re.findall(r"^  noc_\w+ (\w+) \($", top, re.MULTILINE)
    names = declared + instances
    assert len(declared) == 2 * 2 * 4 * 3
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("text", "labels"), [("(0, 0),(0, 1)", ["(0, 0)", "(0, 1)"]), ("(0, 1)", ["(0, 1)"])]
)
def test_labels_may_have_commas(cli, tmp_path: Path, text: str, labels: list[str]) -> None:
    graph = tmp_path / "a.json"
    nodes = ["(0, 0)", "(0, 1)"]
    links = [{"from": nodes[0], "to": nodes[1]}]
    graph.write_text(json.dumps({"nodes": nodes, "links": links}))
    arguments = ["generate", f"file:{graph}", "--sources", text, "-o", str(tmp_path / "out")]
    assert cli.facts(*arguments)["sources"] in (labels, "all")


OPERATIONS = ("--operations", "broadcast,send,all_reduce:sum,barrier@left,reduce:max@left")
OPTIONS = (*OPERATIONS, "--group", "left=123,213,321", "--width", "8")
SHORT = ("--traffic", "mixed:half,wrong:always", "--words", "16")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return generated(tmp_path_factory.mktemp("collectives") / "out", "star:3", *OPTIONS)


@pytest.mark.ci
def test_a_folder_is_verified_as_it_lies_there(folder: Path, cli) -> None:
    shown = cli.facts("verify", "--verilog", str(folder), *SHORT)
    assert shown["mismatches"] == 0
    assert shown["events"] > 1000


@pytest.mark.cases(1, ci=1)
@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        (" = a[7:0] + b[7:0]", " = a[7:0] - b[7:0]", "words of group all from"),
        ("assign dropped = i__valid", "assign dropped = 1'h0", "alarm dropped: expected word"),
        ("assign mismatch = ", "assign mismatch = 2'h3 | ", "alarm mismatch: expected nothing"),
    ],
)
def test_a_fault_in_the_verilog_is_told(
    folder: Path, tmp_path: Path, cli, right: str, wrong: str, told: str
) -> None:
    copied(folder, tmp_path)
    hits = 0
    for path in tmp_path.glob("*.v"):
        text = path.read_text()
        hits += text.count(right)
        path.write_text(text.replace(right, wrong))
    assert hits
    status, out, _ = cli("verify", "--verilog", tmp_path, *SHORT)
    assert (status, told in out) == (1, True)


@pytest.mark.ci
def test_words_that_are_missing_are_told_by_group(cli) -> None:
    """Two groups have joins at one node, each with bits of its own."""
    traffic = ("--traffic", "sparse:half", "--words", "100")
    cli.out("verify", "star:3", *OPTIONS, "--watchdog", "5", *traffic)


@pytest.mark.ci
def test_a_group_can_be_all_nodes_but_some(tmp_path: Path) -> None:
    groups = {}
    for text in ("left=123,213,321", "left=all-but:132,231,312"):
        path = tmp_path / text.partition("=")[2]
        folder = generated(path, "star:3", *OPERATIONS, "--group", text)
        groups[text] = manifest_of(folder)["groups"]["left"]
    assert list(groups.values()) == [["123", "213", "321"]] * 2


@pytest.mark.slow
@pytest.mark.parametrize("queue", [1, 3, 9])
def test_words_without_a_bit_wait_in_queues(cli, queue: int) -> None:
    options = ["--operations", "broadcast,barrier", "--group-queue", str(queue), *SHORT]
    cli.out("verify", "ring:3", *options)


def test_the_manifest_says_all_that_a_harness_needs(folder: Path) -> None:
    manifest = manifest_of(folder)
    names = ["broadcast", "send", "all_reduce:sum", "barrier@left", "reduce:max@left"]
    assert list(manifest["operations"]) == names
    assert manifest["groups"]["left"] == ["123", "213", "321"]
    down = {node["label"]: node["down"] for node in manifest["nodes"]}
    for name, group in (("all_reduce:sum", "all"), ("barrier@left", "left")):
        farthest = max(down[label] for label in manifest["groups"][group])
        assert manifest["latency"][name] == manifest["joined"][group] + farthest
    fields = [field["name"] for field in manifest["nodes"][0]["inject"]["fields"]]
    assert fields == ["data", "operation", "last", "node"]
    fields = [field["name"] for field in manifest["nodes"][0]["eject"]["fields"]]
    assert fields == ["data", "source", "operation", "last"]
    assert manifest["nodes"][0]["mismatch"]["groups"] == ["all", "left"]


#: Where headers can differ, and where words that are joined have none; where a node has no joins.
ALARMED = {
    "barriers alone": ("ring:3", ["broadcast", "barrier", "barrier@some"], [0, 2]),
    "a barrier with a choice": ("star:3", ["barrier@some", "all_reduce:sum@some"], [1, 2, 3]),
    "a barrier of words that have ends": ("mesh:2,2", ["send", "barrier@some"], [0, 3]),
    "names and ends": ("ring:5", ["reduce:max", "all_reduce:sum@some", "gather"], [1, 4]),
}
WRAPPED = {
    "streams": {"vector_ports": True},
    "AXI-Stream": {"endpoints": Endpoints(AxiStream())},
    "clocks": {"endpoints": Endpoints(clocks="each")},
}


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize("name", ALARMED)
def test_mismatch_is_where_it_can_be_raised_and_absent_elsewhere(name: str) -> None:
    """Members that contradict each other raise every bit that hardware, pages and wrappers have."""
    spec, operations, some = ALARMED[name]
    design = build_design(spec, operations=operations, groups={"some": some}, width=8)
    raised, ends = set(), design.operations.marks_last
    for contradicting in range(design.network.nodes):
        given = [
            [
                Given(0, number, node=0, last=int(ends and node == contradicting))
                for number, operation in enumerate(design.operations.listed)
                if operation.joined
                and node in design.operations.members(design.operations.group_of(number))
            ]
            for node in range(design.network.nodes)
        ]
        run = simulate_ordered(design.program, as_traffic(design.program, given), width=8)
        streams = (run.events.streams[stream] for _, stream, _ in run.bits)
        raised |= {(s.node, s.group) for s in streams if s.kind == "mismatch"}
    groups = [group for group, _ in design.operations.groups]
    expected = {(design.network.label(node), groups[group]) for node, group in raised}
    for wrapped in WRAPPED.values():
        files = build_files(design, **wrapped)
        manifest = json.loads(files["manifest.json"])
        told = [(node["label"], node.get("mismatch")) for node in manifest["nodes"]]
        assert expected == {
            (label, group) for label, each in told if each for group in each["groups"]
        }
        signals = {each["signal"] for _, each in told if each}
        texts = {file: text for file, text in files.items() if file.endswith((".v", ".vh"))}
        for file, text in texts.items():
            if file.endswith("_instance.vh") and "vectors" not in file:
                assert set(re.findall(r"\bmismatch\w*", text)) == signals
        assert bool(signals) == any("mismatch" in text for text in texts.values())
