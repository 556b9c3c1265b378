"""Hints: where another choice is better, and nowhere else."""

import json
from pathlib import Path

import pytest

from noc.cli import main
from noc.cli.arguments import report_of
from noc.design import AnyDesign, build_design
from noc.networks import build_network, from_edges


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sources": "one"},
        {"fabric": "direct", "sources": "one"},
        {"fabric": "direct", "sources": ["123"]},
        {"operations": ["broadcast", "barrier"]},
    ],
)
def test_good_choices_get_no_hint(options) -> None:
    assert _hints(build_design("star:3", **options)) == []


def _hints(design: AnyDesign) -> list[str]:
    return list(report_of(design).hints(design))


def ring(ports) -> list[dict[str, object]]:
    return [
        {"from": f"n{i}", "to": f"n{(i + 1) % 6}", "two-way": False, **ports(i)} for i in range(6)
    ]


def spec(folder: Path, links) -> str:
    path = folder / "ring.json"
    path.write_text(
        json.dumps({"nodes": [f"n{i}" for i in range(6)], "links": links}), encoding="utf-8"
    )
    return f"file:{path}"


def test_port_labels_that_cost_a_module_for_each_node(tmp_path: Path, capsys) -> None:
    unlucky = spec(tmp_path, ring(lambda i: {"out": "ab"[i % 3 == 0], "in": "cd"[i % 3 == 0]}))
    assert not build_network(unlucky).symmetric
    out = ["--sources", "one", "-o", str(tmp_path / "out")]
    assert main(["generate", unlucky, *out]) == 0
    assert "hint: with other port labels" in capsys.readouterr().err
    # Without any labels, as the hint says, all nodes look alike.
    plain = spec(tmp_path, ring(lambda _: {}))
    assert main(["generate", plain, *out]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "router modules  1\n" in captured.out


def test_no_labels_help_a_path() -> None:
    path = from_edges([("a", "b"), ("b", "c")])
    assert _hints(build_design(path, sources="one")) == []


def test_a_group_that_nothing_names_gets_a_hint() -> None:
    wanted = {"operations": "broadcast,barrier@a", "groups": {"a": [0, 1], "b": [2]}}
    assert _hints(build_design("star:3", **wanted)) == [
        "no operation names group b, as barrier@b would"
    ]
    wanted["operations"] += ",multicast@b"
    assert _hints(build_design("star:3", **wanted)) == []
