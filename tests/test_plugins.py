"""Plug-ins: the examples of the page, and what is wrong with others, told in one line."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from helpers import started

from noc import plugins
from noc.cli import ENTRY_POINTS
from noc.errors import InputError
from noc.model import TRAFFIC, TrafficPattern, register_traffic
from noc.networks import FAMILIES, build_network, register_family
from noc.trees import ALGORITHMS, build_tree, register_algorithm
from noc.verify.folder import read_folder

PAGE = (Path(__file__).parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
SOURCES = dict(
    re.findall(r"<!-- file: (\w+.py) -->\n```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
)
FOLDED, SATURATE = SOURCES["folded.py"], SOURCES["saturate.py"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """Where the example lies, and where commands run; afterwards no plug-in is loaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(plugins.VARIABLE, raising=False)
    (tmp_path / "folded.py").write_text(FOLDED, encoding="utf-8")
    return tmp_path


def names(listed: dict) -> list[list[str]]:
    """What is from a plug-in, of each kind."""
    return [[entry["name"] for entry in part if entry["plugin"]] for part in listed.values()]


@pytest.mark.usefixtures("folder")
def test_list_names_what_a_plugin_has_and_forgets_it(cli) -> None:
    mine = [["folded-cube"], ["random"], ["hot-spot"], []]
    assert names(cli.facts("list --plugin folded.py")) == mine
    assert names(cli.facts("list")) == [[], [], [], []]


@pytest.mark.usefixtures("folder")
def test_before_the_command_or_after_it_and_twice(cli) -> None:
    before = cli.facts("--plugin folded.py info folded-cube:3")
    assert before == cli.facts("info folded-cube:3 --plugin folded.py")
    assert before == cli.facts("--plugin folded.py info folded-cube:3 --plugin ./folded.py")
    assert (before["nodes"], before["diameter"], before["symmetric"]) == (8, 2, True)
    played = cli.facts("steps scatter folded-cube:2 --plugin folded.py")
    assert played == cli.facts("steps --plugin folded.py scatter folded-cube:2")


@pytest.mark.usefixtures("folder")
def test_the_commands_use_what_a_plugin_has(cli) -> None:
    grown = cli.facts("tree folded-cube:3 --algorithm random --plugin folded.py --root 111")
    assert len(grown["edges"]) == 7
    tables = cli.facts("program folded-cube:3 --algorithm random --plugin folded.py")
    assert tables["algorithm"] == "random"
    # Three dimensions are refused before any tool is asked for.
    err = cli.refusal("synth folded-cube:3,3 --target ecp5 --plugin folded.py")
    assert "2 parameters given, 1 needed: folded-cube:n with n from 2 up" in err


@pytest.mark.ci
@pytest.mark.usefixtures("folder")
def test_a_folder_of_a_plugin_is_verified_with_it(cli) -> None:
    options = "folded-cube:2 --algorithm random --width 4 --plugin folded.py"
    manifest = cli.facts(f"generate {options} -o out")
    assert manifest["plugins"] == ["folded.py"]
    err = cli.refusal("verify --verilog out")
    assert err.startswith("noc verify: error: out: network family 'folded-cube' comes from a plug-")
    assert err.endswith("in, folded.py; --plugin FILE is needed\n")
    traffic = "--traffic hot-spot:half --words 3 --plugin folded.py"
    report = cli.facts(f"verify --verilog out {traffic}")
    assert report["mismatches"] == 0
    assert report["runs"][0]["words"] == 12


@pytest.mark.usefixtures("folder")
def test_an_algorithm_of_a_plugin_is_not_missed(cli) -> None:
    """Its trees lie in the folder; nothing is built again."""
    cli.facts("generate ring:3 --algorithm random --plugin folded.py -o out")
    folder = read_folder(Path("out"))
    assert (folder.design.program.algorithm, folder.design.network.nodes) == ("random", 3)


@pytest.mark.ci
def test_processes_see_the_plugins_of_the_one_that_started_them(folder: Path, monkeypatch) -> None:
    command = [sys.executable, "-m", "noc", "info", "folded-cube:3", "--json"]
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
    with plugins.loaded(["folded.py"]):
        assert os.environ[plugins.VARIABLE] == str(folder / "folded.py")
        done = started(*command, cwd="/", check=True)
        assert json.loads(done.stdout)["nodes"] == 8
    assert plugins.VARIABLE not in os.environ
    assert subprocess.run(command, capture_output=True, check=False).returncode == 2


def test_an_installed_package(folder: Path, monkeypatch, cli) -> None:
    about = folder / "folded_networks-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: folded-networks\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{plugins.GROUP}]\nmine = folded\n")
    monkeypatch.syspath_prepend(str(folder))
    assert names(cli.facts("list")) == [["folded-cube"], ["random"], ["hot-spot"], []]
    (about / "entry_points.txt").write_text(f"[{plugins.GROUP}]\nmine = folded:FAMILIES\n")
    assert cli("list")[2].endswith("plug-in mine: folded:FAMILIES is no module\n")
    (about / "entry_points.txt").write_text(f"[{plugins.GROUP}]\nmine = nowhere\n")
    assert "plug-in mine: " in cli("list")[2]
    assert "No module named 'nowhere'" in cli("list")[2]


SATURATING = "star:3 --operations all_reduce:saturate,broadcast --width 8 --plugin saturate.py"


@pytest.mark.ci
def test_an_operator_of_a_users_own(folder: Path, cli) -> None:
    (folder / "saturate.py").write_text(SATURATE, encoding="utf-8")
    listed = cli.facts("list --plugin saturate.py")["operators"][-1]
    assert (listed["name"], listed["latency"]) == ("saturate", 1)
    manifest = cli.facts(f"generate {SATURATING} -o out")
    assert manifest["plugins"] == ["saturate.py"]
    # A join of two is on the longest way twice: once more at each of them.
    plain = cli.facts(f"generate {SATURATING} -o plain".replace("saturate,", "sum,"))
    slower = manifest["latency"]["all_reduce:saturate"] - plain["latency"]["all_reduce:sum"]
    assert slower >= 2
    assert manifest["latency"]["broadcast"] == plain["latency"]["broadcast"]
    verified = "verify --verilog out --words 8 --plugin saturate.py"
    assert cli.facts(verified)["mismatches"] == 0
    err = cli.refusal("verify --verilog out --words 8")
    assert "operator 'saturate' comes from a plug-in, saturate.py; --plugin FILE is needed" in err


@pytest.mark.cases(0, ci=4)
@pytest.mark.parametrize(
    ("right", "wrong", "status", "message"),
    [
        ("Mux(total[-1], -1, total)", "total", 1, "the Verilog DIFFERS"),
        ("latency=1", "latency=0", 1, "the Verilog DIFFERS"),
        ("latency=1", "latency=65", 2, "latency is 65; from 0 to 64 are allowed"),
        ("min(left + right, 2**width - 1)", "left + right", 2, "no number of 8 bits"),
        ("return min(left", "return mini(left", 2, "name 'mini' is not defined"),
        ('"o": Out(width)', '"o": Out(width - 1)', 2, "must give a component with the ports"),
        ("saturate, Saturate, ", "saturate, ", 2, "both model and build are needed"),
    ],
)
def test_what_is_wrong_with_an_operator_is_told(
    folder: Path, cli, right: str, wrong: str, status: int, message: str
) -> None:
    assert SATURATE.count(right) == 1
    (folder / "saturate.py").write_text(SATURATE.replace(right, wrong), encoding="utf-8")
    found, out, err = cli(f"verify {SATURATING} --words 8")
    assert (found, message in out + err) == (status, True), out + err


def test_python_registers_one_by_one() -> None:
    family, star = FAMILIES["star"], build_network("star:3")
    with pytest.raises(InputError, match=r"^network family 'star': there is one of this name alr"):
        register_family(family)
    with pytest.raises(InputError, match=r"^algorithm 'even': there is one of this name already$"):
        register_algorithm(ALGORITHMS["even"])
    for name in ("full", "single", "back-to-back", "endless", "mixture"):
        with pytest.raises(InputError, match=f"^traffic '{name}': there is one of this name"):
            register_traffic(TrafficPattern(name, "", TRAFFIC["full"].build))
    with pytest.raises(InputError, match=r"^traffic 'Hot spot': a name begins with a small lett"):
        register_traffic(TrafficPattern("Hot spot", "", TRAFFIC["full"].build))
    assert (build_network("star:3").spec, build_tree(star).height) == ("star:3", 3)


FLIPS = "[*(1 << np.arange(n)), 2**n - 1]"
INFO, TREE = "info folded-cube:3", "tree folded-cube:3 --algorithm random"
VERIFY = "verify star:2 --traffic hot-spot"
GRAPH = "return PortGraph(neighbour, arrival, ports, ports, BinaryLabels(n))"
# Without the check that `scheduled` makes.
UNCHECKED = (
    'return Tree(network, "random", ports, root, parent, 0 * port, np.where(parent < 0, 0, 1))'
)
GROWN = 'return scheduled(network, "random", ports, root, parent, port)'

#: What is replaced in the example, by what, the command, and what it says.
BROKEN = [
    ("FAMILIES = (", "FAMILIES = ((", "list", r"line 21: SyntaxError: .*never closed"),
    ("import numpy", "import numpyy", "list", r"line 5: ModuleNotFoundError: No module named"),
    ("n + 1),", "m + 1),", INFO, r"network family 'folded-cube': line 29: NameError: name 'm' is"),
    ("1 << np", "1 / 0 << np", INFO, r"network family 'folded-cube': line 14: ZeroDivisionError"),
    ("(2**n, n + 1)", "2**n", INFO, r"size returned type int, not the numbers of nodes"),
    ("(2**n, n + 1)", "(4, n + 1)", INFO, r"parameters \(3,\): it has 8 nodes, and size says 4"),
    ("numbers(Number(least=2, most=30))", "lambda family, text: text", INFO, "parse returned type"),
    (GRAPH, "return {}", INFO, r"build returned type dict, not a PortGraph"),
    (GRAPH, GRAPH.replace("BinaryLabels(n)", "None"), INFO, "labels lack the methods"),
    (GRAPH, GRAPH.replace("BinaryLabels(n)", "BinaryLabels(2)"), INFO, "node 4 has the label"),
    (GRAPH, GRAPH.replace("neighbour,", "neighbour[:4],"), INFO, r"shape \(4, 4\) and arrival \(8"),
    (GRAPH, GRAPH.replace("neighbour,", "neighbour + 8,"), INFO, r"neighbour\[0, 0\] is 9; -1"),
    (GRAPH, GRAPH.replace("arrival,", "arrival * 0,"), INFO, "4 links arrive at node 0 by in-"),
    (GRAPH, GRAPH.replace("arrival,", "arrival + 1,"), INFO, r"arrival\[0, 3\] is 4; -1 to 3 are"),
    (GRAPH, GRAPH.replace("neighbour,", "neighbour * 1.0,"), INFO, "of signed integers"),
    (GRAPH, GRAPH.replace("ports, ports,", "ports, ports[1:],"), INFO, "-1 to 2 are allowed"),
    (GRAPH, GRAPH.replace("ports, ports,", "ports[1:], ports,"), INFO, "there are 3 out_ports"),
    ('"all")', '"0")', INFO, "out_ports has a label twice: 0, 1, 2, 0"),
    (FLIPS, "[1] * (n + 1)", INFO, "no path leads from node 0 to node 2"),
    (FLIPS, "[0] * (n + 1)", INFO, "a link leads from a node to itself"),
    ('name="folded-cube"', 'name="star"', "list", "family 'star': there is one of this name"),
    ('name="random"', 'name="even"', "list", "algorithm 'even': there is one of this name"),
    ('"hot-spot"', '"full"', "list", r"traffic 'full': there is one of this name"),
    ('name="folded-cube"', 'name="a:b"', "list", r"'a:b': a name begins with a small letter"),
    ("ALGORITHMS = (", "ALGORITHMS = (3,", "list", "must hold Algorithm only, not type int"),
    ("ALGORITHMS = (", "ALGORITHMS = 3, (", "list", "must hold Algorithm only, not type"),
    (GROWN, "return parent", TREE, r"build returned type ndarray, not a Tree or TreeFamily"),
    (GROWN, GROWN.replace("parent,", "parent * 0 - 1,"), TREE, r"7 nodes receive nothing"),
    (GROWN, GROWN.replace("port)", "port * 0)"), TREE, r"a hop follows no link of the network"),
    (GROWN, UNCHECKED, TREE, r"on folded-cube:3 from 000: .* a hop follows no link of the network"),
    (GROWN, GROWN.replace("random", "grown"), TREE, r"a tree of algorithm 'grown', all-port"),
    ("if there not in (ABSENT, root) and", "if", TREE, r"the root has a parent or a step"),
    ("while links", "while parents", TREE, r"algorithm 'random': line 41: NameError"),
    ("        yield Words(", "        yield (", VERIFY, r"build gave type tuple, not Words"),
    ("        yield Words(", "        (", VERIFY, r"build returned type NoneType, not an iter"),
    ("program.sources[0],", "9,", VERIFY, r"node 9 is not among the sources of the program"),
    ("gap=1", "gab=1", VERIFY, r"traffic 'hot-spot': line 63: TypeError: "),
]


@pytest.mark.cases(12)
@pytest.mark.parametrize(("old", "new", "command", "message"), BROKEN)
def test_what_is_wrong_is_told_in_one_line(
    cli, folder: Path, old: str, new: str, command: str, message: str
) -> None:
    assert FOLDED.count(old) == 1
    (folder / "folded.py").write_text(FOLDED.replace(old, new), encoding="utf-8")
    err = cli.refusal(f"{command} --plugin folded.py")
    assert re.search(f": error: plug-in folded.py: .*{message}", err), err
    # Nothing of it is left.
    assert names(cli.facts("list")) == [[], [], [], []]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.py", None, "plug-in none.py: there is no such file"),
        (".", None, "plug-in .: is no file"),
        ("text.txt", "", "plug-in text.txt: the name of a Python file ends in .py"),
        ("empty.py", "", "plug-in empty.py: has none of FAMILIES, ALGORITHMS, TRAFFIC"),
        ("exits.py", "import sys\nsys.exit(0)", "plug-in exits.py: line 2: SystemExit: 0"),
        ("one.py", "FAMILIES = 1", "plug-in one.py: FAMILIES must be a tuple, not of type int"),
        ("deep.py", "import json\njson.loads('x')", "plug-in deep.py: line 2: JSONDecodeError"),
        ("bytes.py", "x = '\x00'", "plug-in bytes.py: "),
    ],
)
def test_files_that_are_no_plugins(cli, folder: Path, name: str, text, message: str) -> None:
    if text is not None:
        (folder / name).write_text(text, encoding="utf-8")
    assert f"noc list: error: {message}" in cli.refusal(f"list --plugin {name}")


COMMAND = '''
"""Count the nodes.

Count the nodes of a network."""
from noc.cli import arguments
from noc.cli.output import Result
from noc.networks import build_network
EXAMPLES = ("noc count star:3",)
GROUP = "count"
def configure(parser):
    arguments.add_spec(parser)
def run(options):
    return Result({"nodes": build_network(options.spec).nodes})
'''


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Installs a command in the way that a package does."""

    def install(text: str, name: str = "count") -> None:
        (tmp_path / "counting.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "counting", raising=False)
        entry = EntryPoint(name, "counting", ENTRY_POINTS)
        monkeypatch.setattr("noc.cli.entry_points", lambda **_: (entry,))

    return install


def test_a_package_adds_a_command(cli, command) -> None:
    command(COMMAND)
    assert cli("count star:3") == (0, "nodes  6\n", "")
    assert "\ncount:\n  count " in cli.out("--help")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this"),
        ("raise SystemExit(1)", "SystemExit: 1"),
        (COMMAND.replace("GROUP", "TITLE"), "counting has no GROUP"),
        (COMMAND.replace("add_spec", "add_spex"), "AttributeError"),
    ],
)
def test_a_command_that_cannot_be_used_stops_no_other(cli, command, text, message) -> None:
    """It is named in one line, where it is asked for and beside the help."""
    command(text)
    whole = cli("list")
    assert whole[::2] == (0, "")
    for words in ("count", "count star:3", "count --help"):
        err = cli.refusal(words)
        assert err.startswith("noc: error: command count: ")
        assert message in err
    status, out, shown = cli("--help")
    assert (status, shown) == (0, err)
    assert "\n  count " not in out


def test_a_command_of_a_name_that_is_taken_is_named_in_the_help(cli, command) -> None:
    command(COMMAND, "info")
    status, out, err = cli("info star:3")
    assert (status, err) == (0, "")
    assert "diameter" in out
    taken = "noc: error: command info of counting: there is one already\n"
    assert cli("--help")[::2] == (0, taken)
