"""The commands: what scripts rely on, and that bad input costs one line and status 2."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from folders import generated, manifest_of
from helpers import started

from noc.cli import GROUPS, command_modules, main
from noc.design import build_ordered
from noc.networks import build_network
from noc.trees import algorithms_on, build_tree, build_trees
from noc.trees.bounds import growth_bound
from noc.verify.runs import KINDS, names

#: Commands, and some of what their JSON says.
FACTS = [
    ("info scc:4", {"network": "scc:4", "nodes": 72, "links": 108, "ports": 3, "diameter": 8}),
    ("info scc:4", {"symmetric": True}),
    ("info mesh:2,3", {"ports": 4, "degree": 3}),
    (
        "tree star:4 --algorithm balanced --root 4321",
        {"height": 4, "steps": 4, "balance": 1.5, "root": "4321"},
    ),
    ("tree uhc:4 --algorithm adst", {"congestion": 1, "steps": 6, "balance": 1}),
    (
        "program star:5 --algorithm balanced --sources one --no-rows",
        {"states": 26, "modules": 1, "senders": 120},
    ),
    (
        "program uhc:3 --sources 000,111 --no-rows",
        {"fabric": "ordered", "sources": ["000", "111"], "senders": 2},
    ),
    ("program star:3", {"root": "123", "modules": 4, "rom_bits": 0}),
    (
        "route scc:8 5:53671248 6:12345678 --router report",
        {"length": 24, "distance": 22, "optimal": False},
    ),
    ("route uhc:4 0000 0000", {"length": 0, "path": []}),
    (
        "steps slices nk-star:4,2 --algorithm multiple",
        {"segments": 12, "steps": 12, "best": True, "time": 12 * (25 + 1200 / 12)},
    ),
    (
        "steps slices nk-star:4,2 --algorithm multiple --segments 1",
        {"segments": 1, "steps": 5, "best": False},
    ),
]


@pytest.mark.parametrize(("command", "some"), FACTS)
def test_facts_for_scripts(cli, command: str, some: dict[str, object]) -> None:
    facts = cli.facts(*command.split())
    assert {name: facts[name] for name in some} == some


@pytest.mark.ci
def test_lists_within_facts(cli) -> None:
    edges = cli.facts("tree", "star:4", "--root", "4321")["edges"]
    assert len({edge["to"] for edge in edges}) == len(edges) == 23
    assert (set(edges[0]), edges[0]["from"]) == ({"from", "to", "port", "step"}, "4321")
    assert "edges" not in cli.facts("tree", "star:4", "--no-edges")
    trees = cli.facts("tree", "uhc:4", "--algorithm", "adst")["trees"]
    assert [len(member["edges"]) for member in trees] == [15, 15]
    tables = cli.facts("program", "star:5", "--algorithm", "balanced", "--sources", "one")
    (router,) = tables["routers"].values()
    assert (len(router["codes"]), router["nodes"]) == (tables["rows"], "all")
    assert tables["rom_bits"] == tables["rows"] * (1 + 4 + 4 * tables["code_bits"])
    ordered = cli.facts("program", "star:3")
    assert len(ordered["node_modules"]) == 4
    assert [node["up"] + node["down"] for node in ordered["nodes"]] == [2, 6, 3, 5, 5, 4]
    assert "node_modules" not in cli.facts("program", "star:3", "--no-rows")
    path = cli.facts("route", "scc:8", "5:53671248", "6:12345678", "--router", "report")["path"]
    assert (path[0]["from"], path[-1]["to"]) == ("5:53671248", "6:12345678")
    laterals = [hop["from"][0] for hop in path if hop["port"] == "lateral"]
    assert "".join(laterals) == "56236747"
    times = cli.facts("steps", "slices", "nk-star:4,2", "--algorithm", "multiple")["compared"]
    assert min(row["time"] for row in times) == 1500


def test_list_names_everything(cli) -> None:
    known = {part: {entry["name"] for entry in rows} for part, rows in cli.facts("list").items()}
    assert {"star", "scc", "uhc", "file"} <= known["networks"]
    assert {"shortest", "fewest-steps"} <= known["algorithms"]
    assert known["traffic"] == {*names(build_ordered("star:3")), *KINDS}


@pytest.mark.ci
def test_trees_of_several_algorithms_are_compared(cli) -> None:
    facts = cli.facts("tree", "nk-star:4,2", "--algorithm", "all", "--root", "21")
    net = build_network("nk-star:4,2")
    assert (facts["network"], facts["nodes"], facts["root"]) == (net.spec, 12, "21")
    rows = facts["algorithms"]
    assert facts["least_height"] == min(row["height"] for row in rows) == 3
    assert facts["least_one_port_steps"] == growth_bound(net, net.node("21")) == 4
    listed = [(each.name, model) for each in algorithms_on(net) for model in each.models]
    assert [(row["algorithm"], row["ports"]) for row in rows] == listed
    for row in rows:
        built = build_trees(net, row["algorithm"], root="21", ports=row["ports"])
        assert (row["trees"], row["height"], row["steps"], row["balance"]) == (
            *(len(built.trees), built.height, built.steps, built.balance),
        )
        assert row["balance"] == row["largest_branch"] / row["smallest_branch"]
    options = ("--algorithm", "even,balanced", "--ports", "one", "--csv")
    head, *lines = cli.out("tree", "star:4", *options).splitlines()
    assert head == "algorithm,ports,trees,height,steps,largest_branch,smallest_branch,balance"
    assert [line.split(",")[:2] for line in lines] == [["even", "one"], ["balanced", "one"]]


@pytest.mark.parametrize(
    ("spec", "algorithm"),
    [
        ("star:4", "shortest"),
        ("mesh:3,4", "shortest"),
        ("incomplete-star:4,2", "balanced"),
        ("uhc:3", "bt2"),
    ],
)
def test_a_tree_says_how_far_others_from_other_roots_differ(cli, spec, algorithm) -> None:
    words = ("tree", spec, "--algorithm", algorithm)
    shown = cli.facts(*words)
    trees = [
        build_tree(build_network(spec), algorithm, root=root) for root in range(shown["nodes"])
    ]
    for name in ("height", "balance"):
        values = [getattr(one, name) for one in trees]
        differ = min(values) < max(values)
        assert (f"{name}_over_roots" in shown) == differ
        if differ:
            mean = pytest.approx(sum(values) / len(values))
            assert shown[f"{name}_over_roots"] == {"worst": max(values), "mean": mean}
            assert f"{name} over roots" in cli(*words)[1]


@pytest.mark.parametrize(
    "options", [(), ("--sources", "one"), ("--sources", "one", "--ports", "one")]
)
def test_programs_of_several_algorithms_are_compared(cli, options: tuple[str, ...]) -> None:
    """Each as it is alone; what has none is told with the reason."""
    answer = cli.facts("program", "uhc:4", "--algorithm", "all", *options)
    net, rows = build_network("uhc:4"), answer["programs"]
    several = {"adst", "disjoint", "independent"}
    assert set(answer["refused"]) == several
    assert all(answer["refused"].values())
    known = {each.name for each in algorithms_on(net)} - several
    assert {row["algorithm"] for row in rows} == known
    direct = "--sources" in options
    models = {row["ports"] for row in rows if direct}
    assert models == ({"one"} if "--ports" in options else {"all", "one"} if direct else set())
    for row in rows[:: len(rows) - 1]:
        asked = [*options, "--algorithm", row["algorithm"]]
        if direct and "--ports" not in options:
            asked += ["--ports", row["ports"]]
        alone = cli.facts("program", "uhc:4", *asked, "--no-rows")
        assert {name: alone[name] for name in row} == row


def test_bits_by_address_are_told_with_what_they_leave_out(cli) -> None:
    _, out, _ = cli("program", "star:4", "--sources", "one", "--algorithm", "balanced")
    (line,) = (line for line in out.splitlines() if line.startswith("rom bits by address"))
    assert line.endswith(
        " 72, a row for each source: each of 24 routers would need its own table (here 1 for all), "
        "and each word 5 bits of address"
    )


TEXTS = [
    (("list",), "star:n"),
    (("info", "uhc:5"), "two way"),
    (("tree", "star:4"), "received by step"),
    (("tree", "uhc:4", "--algorithm", "adst"), "tree 1"),
    (("program", "star:4", "--sources", "one"), "noc_star_4_router: every router"),
    (("program", "uhc:3", "--sources", "one"), "(own words)"),
    (("program", "star:3"), "up_in_1 and merge 0"),
    (("paper", "--list"), "scc-1"),
    (("route", "star:5", "21453", "12345"), "optimal   yes"),
    (("steps", "scatter", "star:4"), "root's port"),
    (("steps", "all-to-all", "mesh:2,3"), "busiest link"),
    (("steps", "slices", "uhc:4", "--algorithm", "adst"), "best         yes"),
    (("steps", "faults", "uhc:4", "--random", "1"), "complete       yes"),
]


@pytest.mark.parametrize(("arguments", "expected"), TEXTS)
def test_text_for_people(cli, arguments: tuple[str, ...], expected: str) -> None:
    status, out, err = cli(*arguments)
    assert (status, err) == (0, "")
    assert expected in out


def test_the_help_shows_every_command_once_in_its_group(cli) -> None:
    status, out, _ = cli("--help")
    assert status == 0
    shown = re.findall(r"^  (\w+) ", out, re.MULTILINE)
    assert sorted(shown) == sorted(command_modules())
    titles = re.findall(r"^(.+):$", out, re.MULTILINE)
    assert titles[-1] == "options"
    assert set(titles) >= {*GROUPS, "follow the papers"}


@pytest.mark.parametrize("command", command_modules())
def test_help_says_what_a_command_does(cli, command: str) -> None:
    status, out, err = cli(command, "--help")
    assert (status, err) == (0, "")
    assert f"usage: noc {command}" in out
    assert "--plugin FILE" in out


def test_help_leaves_out_what_a_command_always_refuses(cli) -> None:
    _, out, _ = cli("cut", "--help")
    shown = set(re.findall(r"^  (--[a-z-]+)", out, re.MULTILINE))
    assert {"--root", "--queue", "--sinks", "--watchdog"} < shown
    never = ("fabric", "protect", "exchange", "rom", "lookahead")
    assert not shown & {f"--{name}" for name in never}
    assert "fabric:" not in out.replace("options of the ordered fabric:", "")
    # A run of inject has to drain.
    assert ["endless" in cli(command, "--help")[1] for command in ("inject", "verify")] == [0, 1]


#: A line feed, others that some terminals take for one, and what changes their colours.
CONTROLS = "a\nb\rc\x0bd\x1be\u2028f\x85g\x7f"


@pytest.mark.parametrize(
    "arguments",
    [
        (CONTROLS,),
        ("info", CONTROLS),
        ("info", "star:3", CONTROLS),
        ("info", "star:3", f"--{CONTROLS}"),
        ("info", f"file:{CONTROLS}"),
        ("info", "star:3", "--plugin", CONTROLS),
        ("tree", "star:3", "--root", CONTROLS),
        ("tree", "star:3", "--ports", CONTROLS),
        ("tree", "star:3", "--algorithm", CONTROLS),
        ("steps", CONTROLS, "star:3"),
        ("latency", "star:3", "--words", CONTROLS),
        ("generate", "star:3", "-o", "x", "--operations", CONTROLS),
        ("generate", "star:3", "-o", "x", "--link-registers", CONTROLS),
        ("run", CONTROLS, "star:3"),
        ("sweep", CONTROLS),
        ("draw", "star:3", "-o", CONTROLS),
        ("verify", "--verilog", CONTROLS),
    ],
)
def test_an_error_is_one_line_whatever_was_typed(
    cli, tmp_path: Path, monkeypatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = cli(*arguments)
    assert (status in (1, 2), out, err[-1]) == (True, "", "\n")
    assert err[:-1].isprintable(), err


def test_what_does_not_fit_is_refused_with_the_estimate(cli, monkeypatch) -> None:
    monkeypatch.setattr("noc.networks.memory.available_bytes", lambda: 10**6)
    status, _, err = cli("tree", "star:9")
    assert status == 2
    assert "362880 nodes" in err
    assert "35 MB of memory and 1 MB can be had" in err


@pytest.mark.parametrize(("more", "steps"), [((), 9), (("--combine",), 4)])
def test_all_to_all(cli, more: tuple[str, ...], steps: int) -> None:
    answer = cli.facts("steps", "all-to-all", "nk-star:4,3", "--algorithm", "greedy", *more)
    assert answer["mean_link"] == pytest.approx(23 / 3)
    assert answer["steps"] >= steps
    assert answer["time"] == answer["steps"] * 25 + answer["transmission"] * 1200


@pytest.mark.cases(1)
@pytest.mark.parametrize(("spec", "chosen"), [("hypercube:4", "even"), ("star:4", "shortest")])
def test_all_to_all_takes_the_quicker_trees(cli, spec: str, chosen: str) -> None:
    both = {
        name: cli.facts("steps", "all-to-all", spec, "--algorithm", name)
        for name in ("even", "shortest")
    }
    assert both[chosen]["steps"] == min(each["steps"] for each in both.values())
    assert both["even"]["steps"] != both["shortest"]["steps"]
    assert cli.facts("steps", "all-to-all", spec) == both[chosen]


def test_faults(cli) -> None:
    answer = cli.facts("steps", "faults", "uhc:6", "--random", "2", "--seed", "3")
    assert (answer["complete"], answer["missing"], len(answer["faults"])) == (True, [], 2)
    assert answer["most_copies"] == 3
    cut = ("--ready", "0", "--faulty-link", "000000", "000001", "--json")
    status, out, err = cli("steps", "faults", "uhc:6", *cut)
    assert (status, err) == (1, "")
    # The one tree of that link carries one block, and no node gets it.
    assert len(json.loads(out)["missing"]) == 63


@pytest.mark.parametrize(
    "asked",
    [("tree:2,2",), ("best:24",), ("uhc:4", "--ports", "one"), ("ring:5", "--ports", "one")],
)
def test_faults_where_there_is_one_tree_only(cli, asked: tuple[str, ...]) -> None:
    """Nobody asked for another one, so that none can be missing."""
    status, out, err = cli("steps", "faults", *asked, "--json")
    answer = json.loads(out)
    algorithm = "shortest" if "one" in asked else "disjoint"
    assert (status, answer["algorithm"], answer["trees"], answer["ready"]) == (0, algorithm, 1, 0)
    assert (answer["complete"], err.count("\n")) == (True, 1)
    assert err.startswith("hint: one tree survives no fault")


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("imported", "without"),
    [
        # The pure half.
        ("noc.programs, noc.research.papers.tables, noc.model.steps, noc.draw", "amaranth"),
        # It would be a fifth of the time, and few commands need it.
        ("noc.cli; noc.cli._parser()", "networkx"),
        # What is loaded later can be interrupted.
        ("noc.cli", "numpy"),
    ],
)
def test_what_is_not_needed_is_not_imported(imported: str, without: str) -> None:
    code = f"import sys, {imported}; sys.exit({without!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.ci
def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m noc tree star:6 --edges | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""


#: An interrupt while a function runs that C calls; Python ends such a function and goes on.
SWALLOWED = """
import ctypes, os, signal, sys, noc.cli, noc.cli.list
@ctypes.CFUNCTYPE(None)
def called():
    os.kill(os.getpid(), signal.{signal})
    for _ in range(1000): pass
def run(options):
    called()
    {after}
noc.cli.list.run = run
# A shell starts what runs in its background deaf to this one.
signal.signal(signal.SIGINT, signal.default_int_handler)
before = signal.getsignal(signal.{signal})
status = noc.cli.main(["list"])
assert signal.getsignal(signal.{signal}) == before
sys.exit(status)
"""


@pytest.mark.cases(1)
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize(
    "after",
    [
        "raise RuntimeError('no compiled object yet')",
        "raise noc.cli.InputError('no compiled object yet')",
    ],
)
def test_an_interrupt_that_gets_lost_is_told_all_the_same(number: str, after: str) -> None:
    code = SWALLOWED.format(signal=number, after=after)
    done = started(sys.executable, "-c", code)
    assert (done.returncode, done.stderr) == (130, "noc list: error: interrupted\n")


def test_a_bug_is_no_interrupt(monkeypatch) -> None:
    def run(_: object) -> int:
        raise RuntimeError("a bug")

    monkeypatch.setattr("noc.cli.list.run", run)
    with pytest.raises(RuntimeError, match="a bug"):
        main(["list"])


def test_a_command_runs_in_any_thread(capsys) -> None:
    with ThreadPoolExecutor() as pool:
        assert pool.submit(main, ["info", "star:3"]).result() == 0
    assert "star:3" in capsys.readouterr().out


@pytest.mark.ci
def test_links_and_streams_are_counted_by_what_they_are(cli, tmp_path: Path) -> None:
    assert re.search(r"^links +6\none-way links +12$", cli("info", "star:3")[1], re.MULTILINE)
    built = cli("generate", "star:3", "-o", str(tmp_path / "out"))[1]
    assert re.search(r"^one-way links +12; 2 without a stream: \d+→\d+, \d+→\d+$", built, re.M)
    assert re.search(r"^streams +10 between nodes, 1 at most on a link; 37 wires", built, re.M)
    direct = cli("generate", "star:3", "--fabric", "direct", "-o", str(tmp_path / "out"))[1]
    assert re.search(r"^one-way links +12\nstreams +12 between nodes", direct, re.MULTILINE)


@pytest.mark.ci
@pytest.mark.parametrize(
    "options",
    [
        ("mesh:4,4", "--operations", "all_reduce:sum,barrier@some,send", "--group", "some=0.0,3.2"),
        ("uhc:3", "--operations", "barrier", "--width", "8"),
        ("scc:3", "--fabric", "direct", "--sources", "one"),
    ],
)
def test_streams_lie_on_the_links_that_verilog_has_wires_for(cli, tmp_path, options) -> None:
    """Each stream of the Verilog on one link, with all of its wires; other links have none."""
    told = json.loads(cli("info", "--streams", "--json", *options)[1])
    manifest = manifest_of(generated(tmp_path / "out", *options))
    assert told["streams"]["arcs"] == manifest["arcs"]
    assert told["one_way_links"] == len(manifest["arcs"]) == build_network(options[0]).arcs
    verilog = (tmp_path / "out" / f"{manifest['top']}.v").read_text()
    declared = re.findall(r"^ *wire (?:\[(\d+):0\] )?(\w+)__(valid|ready|payload);", verilog, re.M)
    wires: dict[str, int] = {}
    for high, stream, _ in declared:
        wires[stream] = wires.get(stream, 0) + int(high or 0) + 1
    laid = [stream for arc in manifest["arcs"] for stream in arc["streams"]]
    assert wires == {each["valid"].removesuffix("__valid"): each["wires"] for each in laid}
    assert len(laid) == len(manifest["links"]) == told["streams"]["streams"]
    ends = ("from", "to", "out_port", "in_port")
    at = {each["valid"]: [each[end] for end in ends] for each in manifest["links"]}
    for arc in manifest["arcs"]:
        assert all(at[each["valid"]] == [arc[end] for end in ends] for each in arc["streams"])
    free = [arc for arc in manifest["arcs"] if not arc["streams"]]
    assert [{end: arc[end] for end in ends} for arc in free] == told["streams"]["without_streams"]


def test_the_main_command_of_the_readme_finds_its_folders(tmp_path, monkeypatch, cli):
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    line = readme.split("<!-- command: main -->")[1].split("```")[1]
    commands = [part.split()[1:] for part in line.split("&&") if "bin/noc" in part]
    assert [command[0] for command in commands] == ["generate", "verify"] * 2
    monkeypatch.chdir(tmp_path)
    for generate, verify in zip(commands[::2], commands[1::2], strict=True):
        assert main(generate) == 0
        assert "--words 0" in cli.refusal(*verify, "--words", "0")
