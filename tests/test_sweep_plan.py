"""The file that says what a sweep measures."""

import json
import re
from pathlib import Path

import pytest

from noc.errors import InputError
from noc.networks import FAMILIES, build_network
from noc.research.sweep import STEPS, Task, read_plan
from noc.research.sweep.plan import members
from noc.research.sweep.table import point_of, row_for


def plan_of(folder: Path, text: str, **options: tuple[int, int]):
    path = folder / "plan.toml"
    path.write_text(f"plain_tree = false\n{text}", encoding="utf-8")
    return read_plan(path, **options)


def test_lists_are_multiplied_out(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path,
        """
        steps = ["model", "tree"]
        [[design]]
        network = ["star:3", "mesh:2,2"]
        width = [8, 32]
        load = [0.5, 1]
        """,
    )
    assert [(t.point.network, t.point.width) for t in plan.tasks] == [
        ("star:3", 8),
        ("star:3", 32),
        ("mesh:2,2", 8),
        ("mesh:2,2", 32),
    ]
    assert {t.steps for t in plan.tasks} == {("tree", "model")}
    assert [axes.load for axes in plan.tasks[0].axes] == [0.5, 1.0]
    assert plan.rows == 8


def test_a_plain_tree_stands_beside_what_broadcasts(tmp_path: Path) -> None:
    """Once for all networks with as many nodes, and only under conditions that it has."""
    path = tmp_path / "plan.toml"
    path.write_text(
        """
        steps = ["tree", "model", "verify"]
        [[design]]
        network = ["star:3", "mesh:2,3"]
        words = [8, 9]
        [[design]]
        network = "star:3"
        sources = "one"
        [[design]]
        network = "star:4"
        operations = "broadcast"
        [[design]]
        network = "star:4"
        steps = "synth"
        measured = ["network", "router"]
        width = 8
        """,
        encoding="utf-8",
    )
    beside = [task for task in read_plan(path).tasks if task.point.fabric == "plain-tree"]
    assert [(t.point.text, t.steps, len(t.axes)) for t in beside] == [
        ("plain-tree:6 fabric=plain-tree sources=all", ("tree", "model"), 1),
        ("plain-tree:24 fabric=plain-tree sources=all width=8", ("synth",), 1),
    ]


def test_what_is_left_out_is_said_by_name(tmp_path: Path) -> None:
    text = (
        'steps = "tree"\n[[design]]\nnetwork = "star:3"\nsources = ["all", "one", "123", "123,132"]'
    )
    chosen = [(t.point.fabric, t.point.algorithm) for t in plan_of(tmp_path, text).tasks]
    ordered, direct = ("ordered", "even"), ("direct", "shortest")
    assert chosen == [ordered, direct, direct, ordered]


def test_the_same_design_twice_is_measured_once(tmp_path: Path) -> None:
    text = (
        'steps = "tree"\n[[design]]\nnetwork = "star:3"\n[[design]]\nnetwork = ["star:3", "star:4"]'
    )
    assert [t.point.network for t in plan_of(tmp_path, text).tasks] == ["star:3", "star:4"]


def test_operations_are_lists_or_texts(tmp_path: Path) -> None:
    text = """
        steps = "tree"
        [[design]]
        network = ["star:3", "mesh:2,3"]
        operations = ["broadcast, barrier@some", ["send", "barrier@some"]]
        groups = [{ some = [0, 5] }, { some = [1, 2], all_others = [3] }]
        group_queue = 2
        [[design]]
        network = "star:3"
        operations = "barrier"
        sources = "one"
        watchdog = 9
    """
    points = [task.point for task in plan_of(tmp_path, text).tasks]
    assert [(p.network, p.operations, p.groups) for p in points[:3]] == [
        ("star:3", "broadcast,barrier@some", "some=123,321"),
        ("star:3", "broadcast,barrier@some", "some=132,213; all_others=231"),
        ("star:3", "send,barrier@some", "some=123,321"),
    ]
    assert len(points) == 9
    assert {(p.fabric, p.group_queue, p.watchdog) for p in points[:8]} == {("ordered", 2, None)}
    assert (points[8].fabric, points[8].watchdog) == ("ordered", 9)
    # What the words stand for; and they come back from a row of a table.
    some = points[7]
    operations = some.build().program.operations
    assert list(map(str, operations.listed)) == ["send", "barrier@some"]
    assert dict(operations.groups)["some"] == (1, 2)
    assert dict(operations.groups)["all_others"] == (3,)
    axes = plan_of(tmp_path, text).tasks[0].axes[0]
    assert point_of(row_for(Task(some, ("tree",), (axes,)), axes, {})) == some


def test_labels_with_commas_are_members(tmp_path: Path) -> None:
    text = HEAD + 'network = "file:tests/data/commas.json"\noperations = "barrier@x"\n'
    graph = {"nodes": ["a,b", "c", "d; y=e"], "links": RING, "two-way": True}
    (tmp_path / "commas.json").write_text(json.dumps(graph))
    path = tmp_path / "commas.json"
    text = text.replace("tests/data/commas.json", str(path))
    for groups in ('{ x = ["c", "a,b"] }', "{ x = [1, 0] }", '{ x = "c,a,b" }'):
        (task,) = plan_of(tmp_path, f"{text}groups = {groups}").tasks
        assert dict(task.point.build().program.operations.groups)["x"] == (0, 1)


RING = [{"from": "a,b", "to": "c"}, {"from": "c", "to": "d; y=e"}]


def test_a_family_stands_for_its_members_of_a_size(tmp_path: Path) -> None:
    text = (
        'steps = "tree"\nnodes = "20..24"\n[[design]]\nnetwork = ["star", "hypercube", "ring:20"]'
    )
    assert [t.point.network for t in plan_of(tmp_path, text).tasks] == ["star:4", "ring:20"]
    text = 'steps = "tree"\n[[design]]\nnetwork = ["star", "ring:20", "ring:8"]'
    chosen = plan_of(tmp_path, text, nodes=(8, 24)).tasks
    assert [t.point.network for t in chosen] == ["star:4", "ring:20", "ring:8"]


@pytest.mark.cases(15)
@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "file"])
def test_members_are_all_there(name: str) -> None:
    """Against every member with parameters up to 40, built."""
    family, expected = FAMILIES[name], set()
    texts = [f"{a}" for a in range(1, 41)]
    if "[" not in family.signature:
        texts += [f"{a},{b}" for a in range(1, 41) for b in range(1, 41)]
    for text in texts:
        try:
            nodes = family.measured(text)[1]
        except InputError:
            continue
        numbers = [int(part) for part in text.split(",")]
        grid = "…" in family.signature
        if nodes <= 40 and not (grid and (1 in numbers or numbers != sorted(numbers)[::-1])):
            expected.add(f"{name}:{text}")
    listed = members([name], 1, 40)
    assert {spec for spec in listed if spec.count(",") < 2} == expected
    assert all(build_network(spec).nodes <= 40 for spec in listed)
    sizes = [build_network(spec).nodes for spec in listed]
    assert sizes == sorted(sizes)


HEAD = 'steps = "tree"\n[[design]]\n'

BAD = {
    "no TOML": ("steps = [", "is no TOML"),
    "nothing": ("", "a table [[design]] is needed"),
    "design is no table": ("design = 3", "a table [[design]] is needed"),
    "designs are no tables": ("steps = 'tree'\ndesign = [3]", "a table is needed"),
    "no steps": ('[[design]]\nnetwork = "star:3"', "steps: a list of some of tree, model"),
    "unknown step": ('steps = ["trees"]\n[[design]]\nnetwork = "star:3"', "'trees' is unknown"),
    "empty steps": ('steps = []\n[[design]]\nnetwork = "star:3"', "steps: a list of some of"),
    "unknown key": (HEAD + 'network = "star:3"\nwidths = 3', "[[design]] 1: widths: is unknown"),
    "unknown key above": ("seed = 1\n" + HEAD + 'network = "star:3"', "seed: is unknown"),
    "no network": (HEAD + "width = 3", "network: is missing"),
    "wrong type": (HEAD + 'network = "star:3"\nwidth = "8"', "width: '8' is no whole number"),
    "truth for a number": (HEAD + 'network = "star:3"\nqueue = true', "True is no whole number"),
    "number for a text": (HEAD + "network = 3", "network: 3 is no text"),
    "list in a list": (HEAD + 'network = [["star:3"]]', "is no text"),
    "empty list": (HEAD + 'network = "star:3"\nwidth = []', "width: the list is empty"),
    "unknown family": (HEAD + 'network = "stars:3"', "no family 'stars'"),
    "bare file": (HEAD + 'network = "g.json"', "a graph in a file is 'file:g.json'"),
    "no size": (HEAD + 'network = "star"', "parameters are needed, as in 'star:4'"),
    "unknown fabric": (HEAD + 'network = "star:3"\nfabric = "x"', "fabric: 'x' is unknown"),
    "idle condition": (HEAD + 'network = "star:3"\nload = 1.0', "load: no step of tree uses it"),
    "range": ('nodes = "9..1"\n' + HEAD + 'network = "star"', "nodes: '9..1' is no range"),
    "operations are no names": (
        HEAD + 'network = "star:3"\noperations = 3',
        "operations: 3: a text",
    ),
    "no operations": (HEAD + 'network = "star:3"\noperations = [[]]', "operations: []: a text"),
    "empty operations": (HEAD + 'network = "star:3"\noperations = []', "the list is empty"),
    "groups are no table": (HEAD + 'network = "star:3"\ngroups = "a=1"', "groups: 'a=1': a table"),
    "no groups": (HEAD + 'network = "star:3"\ngroups = {}', "groups: {}: a table"),
    "no members": (HEAD + 'network = "star:3"\ngroups = { a = [] }', "groups: a: labels or"),
    "members are no nodes": (HEAD + 'network = "star:3"\ngroups = { a = [0.5] }', "groups: a: lab"),
    "no such node": (HEAD + 'network = "star:3"\ngroups = { a = [6] }', "groups: 6 is no node of"),
    "no member": ('nodes = "7..8"\n' + HEAD + 'network = "star"', "no network has that many nodes"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_bad_plans_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        plan_of(tmp_path, text)
    assert message in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'plan.toml'}: ")
    assert "\n" not in str(error.value)


def test_the_plans_and_columns_of_the_page_are_right(tmp_path: Path) -> None:
    page = (Path(__file__).parent.parent / "docs" / "sweeps.md").read_text(encoding="utf-8")
    plans = [
        plan_of(tmp_path, text) for text in re.findall(r"^```toml\n(.*?)^```$", page, re.M | re.S)
    ]
    assert [bool(plan.tasks) for plan in plans] == [True] * 4
    results = {column for step in STEPS.values() for column in step.columns}
    assert results | {"refused", "digest", "tools"} <= set(re.findall(r"`(\w+)`", page))
