"""The file that says what a sweep measures."""

import re
from pathlib import Path

import pytest

from noc.errors import InputError
from noc.networks import FAMILIES, build_network
from noc.sweep import STEPS, read_plan
from noc.sweep.members import members


def plan_of(folder: Path, text: str, **options: tuple[int, int]):
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
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


def test_a_family_stands_for_its_members_of_a_size(tmp_path: Path) -> None:
    text = (
        'steps = "tree"\nnodes = "20..24"\n[[design]]\nnetwork = ["star", "hypercube", "ring:20"]'
    )
    assert [t.point.network for t in plan_of(tmp_path, text).tasks] == ["star:4", "ring:20"]
    text = 'steps = "tree"\n[[design]]\nnetwork = ["star", "ring:20", "ring:8"]'
    chosen = plan_of(tmp_path, text, nodes=(8, 24)).tasks
    assert [t.point.network for t in chosen] == ["star:4", "ring:20", "ring:8"]


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "file"])
def test_members_are_all_there(name: str) -> None:
    """Against every member with parameters up to 40, built."""
    family, expected = FAMILIES[name], set()
    texts = [f"{a}" for a in range(1, 41)]
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
    "no size": (HEAD + 'network = "star"', "parameters are needed, as in 'star:4'"),
    "unknown fabric": (HEAD + 'network = "star:3"\nfabric = "x"', "fabric: 'x' is unknown"),
    "idle condition": (HEAD + 'network = "star:3"\nload = 1.0', "load: no step of tree uses it"),
    "range": ('nodes = "9..1"\n' + HEAD + 'network = "star"', "nodes: '9..1' is no range"),
    "no member": ('nodes = "7..8"\n' + HEAD + 'network = "star"', "no network has so many nodes"),
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
    assert [bool(plan.tasks) for plan in plans] == [True, True]
    results = {column for step in STEPS.values() for column in step.columns}
    assert results | {"refused", "digest", "tools"} <= set(re.findall(r"`(\w+)`", page))
