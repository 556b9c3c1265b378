"""The commands: what scripts rely on, and that bad input costs one line and status 2."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from noc.cli import GROUPS, command_modules, main
from noc.networks import build_network
from noc.trees import algorithms_on, build_tree, build_trees
from noc.trees.bounds import growth_bound


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        status = main(arguments)
    except SystemExit as stop:
        status = int(stop.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def document(capsys, *arguments: str):
    status, out, err = run(capsys, *arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_info(capsys) -> None:
    known = document(capsys, "info", "scc:4")
    facts = {key: known[key] for key in ("network", "nodes", "links", "ports", "diameter")}
    assert facts == {"network": "scc:4", "nodes": 72, "links": 108, "ports": 3, "diameter": 8}
    assert known["symmetric"] is True


def test_list_names_every_network_and_algorithm(capsys) -> None:
    known = document(capsys, "list")
    assert {"star", "scc", "uhc", "file"} <= {entry["name"] for entry in known["networks"]}
    assert {"shortest", "fewest-steps"} <= {entry["name"] for entry in known["algorithms"]}


def test_tree(capsys) -> None:
    built = document(capsys, "tree", "star:4", "--algorithm", "balanced", "--root", "4321")
    assert (built["height"], built["steps"], built["balance"], built["root"]) == (4, 4, 1.5, "4321")
    assert len({edge["to"] for edge in built["edges"]}) == len(built["edges"]) == 23
    assert set(built["edges"][0]) == {"from", "to", "port", "step"}
    assert built["edges"][0]["from"] == "4321"


def test_trees_of_several_algorithms_are_compared(capsys) -> None:
    assert main(["tree", "nk-star:4,2", "--algorithm", "all", "--root", "21", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    net = build_network("nk-star:4,2")
    assert (document["network"], document["nodes"], document["root"]) == (net.spec, 12, "21")
    rows = document["algorithms"]
    assert document["least_height"] == min(row["height"] for row in rows) == 3
    assert document["least_one_port_steps"] == growth_bound(net, net.node("21")) == 4
    listed = [(each.name, model) for each in algorithms_on(net) for model in each.models]
    assert [(row["algorithm"], row["ports"]) for row in rows] == listed
    for row in rows:
        built = build_trees(net, row["algorithm"], root="21", ports=row["ports"])
        assert (row["trees"], row["height"], row["steps"], row["balance"]) == (
            *(len(built.trees), built.height, built.steps, built.balance),
        )
        assert row["balance"] == row["largest_branch"] / row["smallest_branch"]
    assert main(["tree", "star:4", "--algorithm", "even,balanced", "--ports", "one", "--csv"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == "algorithm,ports,trees,height,steps,largest_branch,smallest_branch,balance"
    assert [line.split(",")[:2] for line in lines] == [["even", "one"], ["balanced", "one"]]


def test_a_family_of_trees(capsys) -> None:
    built = document(capsys, "tree", "uhc:4", "--algorithm", "adst")
    assert [len(member["edges"]) for member in built["trees"]] == [15, 15]
    assert (built["congestion"], built["steps"], built["balance"]) == (1, 6, 1)
    assert "edges" not in document(capsys, "tree", "star:4", "--no-edges")


@pytest.mark.parametrize(
    ("spec", "algorithm"),
    [("mesh:3,4", "shortest"), ("incomplete-star:4,2", "balanced"), ("uhc:3", "bt2")],
)
def test_a_tree_says_how_far_others_from_other_roots_differ(capsys, spec, algorithm) -> None:
    words = ("tree", spec, "--algorithm", algorithm)
    shown = document(capsys, *words)
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
            assert f"{name} over roots" in run(capsys, *words)[1]


def test_trees_of_a_symmetric_network_do_not_differ(capsys) -> None:
    assert not [key for key in document(capsys, "tree", "star:4") if "roots" in key]


def test_program(capsys) -> None:
    built = document(capsys, "program", "star:5", "--algorithm", "balanced", "--sources", "one")
    assert (built["states"], built["modules"], built["senders"]) == (26, 1, 120)
    (router,) = built["routers"].values()
    assert (len(router["codes"]), router["nodes"]) == (built["rows"], "all")
    assert built["rom_bits"] == built["rows"] * (1 + 4 + 4 * built["code_bits"])


@pytest.mark.parametrize(
    "options", [(), ("--sources", "one"), ("--sources", "one", "--ports", "one")]
)
def test_programs_of_several_algorithms_are_compared(capsys, options: tuple[str, ...]) -> None:
    """Each as it is alone; what has none is told with the reason."""
    answer = document(capsys, "program", "uhc:4", "--algorithm", "all", *options)
    net, rows = build_network("uhc:4"), answer["programs"]
    assert list(answer["refused"]) == ["adst"]
    assert all(answer["refused"].values())
    known = {each.name for each in algorithms_on(net)} - {"adst"}
    assert {row["algorithm"] for row in rows} == known
    direct = "--sources" in options
    models = {row["ports"] for row in rows if direct}
    assert models == ({"one"} if "--ports" in options else {"all", "one"} if direct else set())
    for row in rows[:: len(rows) - 1]:
        asked = [*options, "--algorithm", row["algorithm"]]
        if direct and "--ports" not in options:
            asked += ["--ports", row["ports"]]
        alone = document(capsys, "program", "uhc:4", *asked, "--no-rows")
        assert {name: alone[name] for name in row} == row


def test_bits_by_address_are_told_with_what_they_leave_out(capsys) -> None:
    _, out, _ = run(capsys, "program", "star:4", "--sources", "one", "--algorithm", "balanced")
    (line,) = (line for line in out.splitlines() if line.startswith("rom bits by address"))
    assert line.endswith(
        " 72, a row for each source: each of 24 routers would need its own table (here 1 for all), "
        "and each word 5 bits of address"
    )


def test_program_of_chosen_sources(capsys) -> None:
    built = document(capsys, "program", "uhc:3", "--sources", "000,111", "--no-rows")
    assert (built["fabric"], built["sources"], built["senders"]) == ("ordered", ["000", "111"], 2)
    assert "node_modules" not in built


def test_program_of_the_ordered_fabric(capsys) -> None:
    built = document(capsys, "program", "star:3")
    assert (built["root"], built["modules"], built["rom_bits"]) == ("123", 4, 0)
    assert len(built["node_modules"]) == 4
    assert [node["up"] + node["down"] for node in built["nodes"]] == [2, 6, 3, 5, 5, 4]


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
def test_text_for_people(capsys, arguments: tuple[str, ...], expected: str) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, err) == (0, "")
    assert expected in out


def test_the_help_shows_every_command_once_in_its_group(capsys) -> None:
    status, out, _ = run(capsys, "--help")
    assert status == 0
    shown = re.findall(r"^  (\w+) ", out, re.MULTILINE)
    assert sorted(shown) == sorted(command_modules())
    titles = re.findall(r"^(.+):$", out, re.MULTILINE)
    assert titles[-1] == "options"
    assert set(titles) >= {*GROUPS, "follow the papers"}


@pytest.mark.parametrize("command", command_modules())
def test_help_says_what_a_command_does(capsys, command: str) -> None:
    status, out, err = run(capsys, command, "--help")
    assert (status, err) == (0, "")
    assert f"usage: noc {command}" in out


BAD = [
    (("frobnicate",), "invalid choice"),
    ((), "required"),
    (("tree",), "SPEC"),
    (("--bogus", "info", "star:3"), "noc: error: unrecognized arguments: --bogus (see noc --help)"),
    (
        ("synth", "star:3", "star:4", "--router"),
        "noc synth: error: unrecognized arguments: star:4 (see noc synth --help)",
    ),
    (("generate", "star:3", "-o", ""), "-o/--output: a name is needed"),
    (("draw", "star:3", "-o", ""), "-o/--output: a name is needed"),
    (("verify", "star:3", "--keep", ""), "--keep: a name is needed"),
    (("tree", "star"), "parameters are missing: star:n"),
    (("tree", "star:"), "parameters are missing: star:n"),
    (("tree", "sart:4"), "no family 'sart'; allowed: star,"),
    (("tree", "my/graph.json"), "my/graph.json': a graph in a file is 'file:my/graph.json'\n"),
    (("draw", "G.GraphML", "-o", "g.svg"), "a graph in a file is 'file:G.GraphML'\n"),
    (("build", "g.json", "--board", "ulx3s_85f"), "a graph in a file is 'file:g.json'\n"),
    (("tree", "star:0"), "0 is out of range: star:n with n from 2 up"),
    (("tree", "star:1"), "1 is out of range"),
    (("tree", "star:-4"), "'-4' must be digits only"),
    (("tree", "star:4.5"), "'4.5' must be digits only"),
    (("tree", "star:٤"), "must be digits only"),
    (("tree", "star:four"), "'four' must be digits only"),
    (("tree", "star:4,2"), "2 parameters given, 1 needed"),
    (("tree", "nk-star:4"), "1 parameters given, 2 needed"),
    (("tree", "nk-star:4,5"), "k = 5 must be less than n = 4"),
    (("tree", "incomplete-star:4,5"), "k = 5 is more than n = 4"),
    (("tree", "uhc:4,sideways"), "'sideways' is no polarity"),
    (("tree", "star:13"), "6227020800 nodes; at most"),
    (("tree", "star:99999999999999999999"), "out of range"),
    (("tree", "hypercube:200"), "more than 10^15 nodes"),
    (("info", "mesh:1,1"), "it has one node only: mesh:SIZE,…"),
    (("tree", "star:4", "--algorithm", "bt2"), "not defined on star:4; it works on uhc"),
    (("tree", "star:4", "--algorithm", "x"), "'x' is unknown; star:4 has: shortest"),
    (("tree", "star:4", "--ports", "two"), "--ports"),
    (("tree", "star:4", "--root", "1233"), "--root: label '1233' is no node"),
    (("tree", "scc:4", "--root", "1:1234"), "--root: label '1:1234' is no node"),
    (("tree", "uhc:4", "--root", "2222"), "--root: label '2222' is no node: 4 bits"),
    (("tree", "uhc:4", "--algorithm", "adst", "--ports", "one"), "no one-port form"),
    (("program", "uhc:3", "--sources", "000,9"), "--sources: label '9' is no node"),
    *(
        ((command, "star:4", "--algorithm", *options), message)
        for command in ("tree", "program")
        for options, message in (
            (("even,nope",), "algorithm 'nope' is unknown; star:4 has: shortest, even"),
            (("even,cyclic",), "--algorithm cyclic: is not defined on star:4"),
        )
    ),
    (("tree", "star:4", "--algorithm", "all", "--edges"), "--edges: is for one algorithm"),
    (("tree", "star:4", "--csv", "--json"), "--json: is not for --csv"),
    (("tree", "star:4", "--algorithm", "all", "-o", "x.json"), "--output: is for one algorithm\n"),
    (("tree", "star:4", "--csv", "-o", "x.json"), "error: --output: is not for --csv\n"),
    (("tree", "star:4", "--cnf", "9", "x", "-o", "x.json"), "--output: is not for --cnf\n"),
    (("program", "star:4", "--algorithm", "all", "--rows"), "--rows: is for one algorithm"),
    (
        ("program", "star:4", "--algorithm", "all", "--sources", "9"),
        "--sources: label '9' is no node",
    ),
    (("info",), "SPEC"),
    (("info", "star:3", "--group", "some=123"), "--group: is for --streams"),
    (("tree", "uhc:3", "--algorithm", "adst"), "adst needs an even n"),
    (
        ("generate", "star:3", "-o", "x", "--fabric", "direct", "--sources", "all"),
        "--fabric direct: is for one sender at a time; add --sources one",
    ),
    (("generate", "star:3", "-o", "x", "--ports", "one"), "--ports one: is for the direct fabric"),
    (("generate", "star:3", "-o", "x", "--rom", "block"), "--rom block: is for the direct fabric"),
    (
        ("generate", "star:3", "-o", "x", "--fabric", "ordered", "--sources", "one"),
        "choose --sources all, or the direct fabric",
    ),
    (("generate", "star:3", "-o", "x", "--sources", "123,99"), "--sources: "),
    (
        ("generate", "star:3", "-o", "x", "--sources", "123", "--root", "123"),
        "--root 123: is for the",
    ),
    (("generate", "star:3", "-o", "x", "--root", "99"), "--root: "),
    (("generate", "star:3", "-o", "x", "--algorithm", "bt1"), "not defined on star:3"),
    (("generate", "uhc:4", "-o", "x", "--algorithm", "adst"), "gives 2 trees, where the ordered"),
    (("generate", "star:3", "-o", "x", "--link-registers", "-1"), "must not be negative"),
    (("generate", "star:3", "-o", "x", "--link-registers", "65"), "from 0 to 64 are allowed"),
    (("generate", "star:3", "-o", "x", "--link-registers", "none.json"), "No such file"),
    (("generate", "star:3", "-o", "x", "--hop-cycles", "0"), "--hop-cycles 0: at least 1"),
    (
        ("generate", "star:3", "-o", "x", "--hop-cycles", "2", "--link-registers", "2"),
        "--hop-cycles 2: is --link-registers 1, not 2",
    ),
    (
        ("generate", "star:3", "-o", "x", "--sources", "one", "--link-registers", "2"),
        "--link-registers 2: the direct fabric takes 0 or 1",
    ),
    (
        ("generate", "star:3", "-o", "x", "--no-source-numbers", "--own-words", "drop"),
        "--own-words drop: needs --source-numbers",
    ),
    (("paper", "nope"), "TABLE 'nope' is unknown"),
    (("route", "star:4", "1234"), "TO"),
    (("route", "star:4", "99", "1234"), "noc route: error: FROM: label '99' is no node"),
    (("route", "star:4", "1234", "99"), "noc route: error: TO: label '99' is no node"),
    (("route", "uhc:4", "0000", "1111", "--router", "labels"), "has: shortest"),
    (("route", "scc:4", "2:1234", "2:1234", "--router", "x"), "has: labels, report, shortest"),
    (("steps",), "PLAY"),
    (("steps", "gossip", "star:4"), "invalid choice: 'gossip'"),
    (("steps", "scatter", "uhc:4", "--algorithm", "adst"), "--algorithm adst: gives 2 trees"),
    (("steps", "scatter", "star:4", "--order", "last"), "--order: invalid choice"),
    (("steps", "scatter", "star:4", "--root", "9"), "--root: label '9' is no node"),
    (("steps", "slices", "star:4", "--segments", "0"), "--segments 0: at least 1"),
    (("steps", "slices", "star:4", "--start-up", "0"), "--start-up: '0' is no number of more"),
    (("steps", "slices", "star:4", "--length", "inf"), "--length: 'inf' is no number of more"),
    (("steps", "slices", "star:4", "--per-byte", "1e308"), "--per-byte: '1e308' is no number"),
    (("steps", "slices", "star:4", "--length", "1e7"), "choose a larger --start-up, or --segments"),
    (("steps", "faults", "star:4", "--algorithm", "adst"), "adst: is not defined on star:4"),
    (("steps", "faults", "uhc:5", "--algorithm", "adst"), "adst needs an even n"),
    (("steps", "faults", "star:4", "--ready", "1"), "--ready 1: the only tree of shortest"),
    (("steps", "faults", "nk-star:4,2", "--algorithm", "multiple"), "share their root and no link"),
    (("steps", "faults", "uhc:4", "--ready", "2"), "--ready 2: 2 trees of adst survive at most 1"),
    (("steps", "faults", "uhc:4", "--faulty-node", "0000"), "--faulty-node 0000: the root must be"),
    (("steps", "faults", "uhc:4", "--faulty-node", "9"), "--faulty-node: label '9' is no node"),
    (("steps", "faults", "uhc:4", "--faulty-link", "0000", "1111"), "uhc:4 has no such link"),
    (("steps", "faults", "uhc:4", "--random", "99"), "--random 99: uhc:4 has 47 links and nodes"),
    (("draw", "star:4"), "-o/--output"),
    (("draw", "star:4", "-o", "x.jpg"), "must end in .svg, .pdf, .png or .gif"),
    (("draw", "star:7", "-o", "x.svg"), "5040 nodes are too many to draw"),
    (("draw", "star:4", "-o", "missing/x.svg"), "there is no directory missing"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_input_is_refused_in_one_line(
    capsys, tmp_path: Path, monkeypatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert list(tmp_path.iterdir()) == []


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
    capsys, tmp_path: Path, monkeypatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *arguments)
    assert (status in (1, 2), out, err[-1]) == (True, "", "\n")
    assert err[:-1].isprintable(), err


def test_what_does_not_fit_is_refused_with_the_estimate(capsys, monkeypatch) -> None:
    monkeypatch.setattr("noc.networks.memory.available_bytes", lambda: 10**6)
    status, _, err = run(capsys, "tree", "star:9")
    assert status == 2
    assert "362880 nodes" in err
    assert "35 MB of memory and 1 MB can be had" in err


def test_route(capsys) -> None:
    way = document(capsys, "route", "scc:8", "5:53671248", "6:12345678", "--router", "report")
    assert (way["length"], way["distance"], way["optimal"]) == (24, 22, False)
    assert (way["path"][0]["from"], way["path"][-1]["to"]) == ("5:53671248", "6:12345678")
    laterals = [hop["from"][0] for hop in way["path"] if hop["port"] == "lateral"]
    assert "".join(laterals) == "56236747"
    nowhere = document(capsys, "route", "uhc:4", "0000", "0000")
    assert (nowhere["length"], nowhere["path"]) == (0, [])


@pytest.mark.parametrize(("more", "steps"), [((), 9), (("--combine",), 4)])
def test_all_to_all(capsys, more: tuple[str, ...], steps: int) -> None:
    answer = document(capsys, "steps", "all-to-all", "nk-star:4,3", "--algorithm", "greedy", *more)
    assert answer["mean_link"] == pytest.approx(23 / 3)
    assert answer["steps"] >= steps
    assert answer["time"] == answer["steps"] * 25 + answer["transmission"] * 1200


@pytest.mark.parametrize(("spec", "chosen"), [("hypercube:4", "even"), ("star:4", "shortest")])
def test_all_to_all_takes_the_quicker_trees(capsys, spec: str, chosen: str) -> None:
    both = {
        name: document(capsys, "steps", "all-to-all", spec, "--algorithm", name)
        for name in ("even", "shortest")
    }
    assert both[chosen]["steps"] == min(each["steps"] for each in both.values())
    assert both["even"]["steps"] != both["shortest"]["steps"]
    assert document(capsys, "steps", "all-to-all", spec) == both[chosen]


def test_slices(capsys) -> None:
    asked = ("steps", "slices", "nk-star:4,2", "--algorithm", "multiple")
    answer = document(capsys, *asked)
    assert (answer["segments"], answer["steps"], answer["best"]) == (12, 12, True)
    assert answer["time"] == 12 * (25 + 1200 / 12) == min(row["time"] for row in answer["compared"])
    whole = document(capsys, *asked, "--segments", "1")
    assert (whole["steps"], whole["best"], whole["compared"][0]["segments"]) == (5, False, 1)


def test_faults(capsys) -> None:
    answer = document(capsys, "steps", "faults", "uhc:6", "--random", "2", "--seed", "3")
    assert (answer["complete"], answer["missing"], len(answer["faults"])) == (True, [], 2)
    assert answer["most_copies"] == 3
    cut = ("--ready", "0", "--faulty-link", "000000", "000001", "--json")
    status, out, err = run(capsys, "steps", "faults", "uhc:6", *cut)
    assert (status, err) == (1, "")
    # The one tree of that link carries one block, and no node gets it.
    assert len(json.loads(out)["missing"]) == 63


@pytest.mark.parametrize(
    "asked", [("star:4",), ("uhc:5",), ("uhc:4", "--ports", "one"), ("mesh:3,3", "--root", "1.1")]
)
def test_faults_where_there_is_one_tree_only(capsys, asked: tuple[str, ...]) -> None:
    """Nobody asked for another one, so that none can be missing."""
    status, out, err = run(capsys, "steps", "faults", *asked, "--json")
    answer = json.loads(out)
    assert (status, answer["algorithm"], answer["trees"], answer["ready"]) == (0, "shortest", 1, 0)
    assert (answer["complete"], err.count("\n")) == (True, 1)
    assert err.startswith("hint: one tree survives no fault")


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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
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


def test_links_and_streams_are_counted_by_what_they_are(capsys, tmp_path: Path) -> None:
    assert re.search(
        r"^links +6\none-way links +12$", run(capsys, "info", "star:3")[1], re.MULTILINE
    )
    built = run(capsys, "generate", "star:3", "-o", str(tmp_path / "out"))[1]
    assert re.search(r"^one-way links +12; 2 without a stream: \d+→\d+, \d+→\d+$", built, re.M)
    assert re.search(r"^streams +10 between nodes, 1 at most on a link; 37 wires", built, re.M)
    direct = run(capsys, "generate", "star:3", "--fabric", "direct", "-o", str(tmp_path / "out"))[1]
    assert re.search(r"^one-way links +12\nstreams +12 between nodes", direct, re.MULTILINE)


@pytest.mark.parametrize(
    "options",
    [
        ("mesh:4,4", "--operations", "all_reduce:sum,barrier@some,send", "--group", "some=0.0,3.2"),
        ("uhc:3", "--operations", "barrier", "--width", "8"),
        ("scc:3", "--fabric", "direct", "--sources", "one"),
    ],
)
def test_streams_lie_on_the_links_that_verilog_has_wires_for(capsys, tmp_path, options) -> None:
    """Each stream of the Verilog on one link, with all of its wires; other links have none."""
    told = json.loads(run(capsys, "info", "--streams", "--json", *options)[1])
    run(capsys, "generate", *options, "-o", str(tmp_path / "out"))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
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


def test_the_main_command_of_the_readme_finds_its_folders(tmp_path, monkeypatch, capsys):
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    line = readme.split("<!-- command: main -->")[1].split("```")[1]
    commands = [part.split()[1:] for part in line.split("&&") if "bin/noc" in part]
    assert [command[0] for command in commands] == ["generate", "verify"] * 2
    monkeypatch.chdir(tmp_path)
    for generate, verify in zip(commands[::2], commands[1::2], strict=True):
        assert main(generate) == 0
        assert main([*verify, "--words", "0"]) == 2
        assert "--words 0" in capsys.readouterr().err
