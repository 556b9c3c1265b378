"""The choice of a network, against a plain look at every row of the atlas."""

import csv
import json
import math
import random
import re
import shlex
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from noc.choose import ATLAS, Atlas, Candidate, Question, choose, list_candidates, read_atlas
from noc.choose.candidates import _computed
from noc.cli import main
from noc.emit.manifest import CONTRACTS
from noc.errors import InputError
from noc.sweep import STEPS, Axes, Point

NAMES = ("network", "fabric", "algorithm", "sources")


@cache
def atlas() -> Atlas:
    return read_atlas()


@cache
def lines() -> list[dict[str, str]]:
    with ATLAS.open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if not row["refused"]]


def looked_up(question: Question) -> dict[tuple[str, ...], dict[str, float]]:
    """The figures of each design in the atlas with so many nodes, read from its rows."""
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for row in lines():
        key = tuple(row[name] for name in NAMES)
        entry = found.setdefault(key, {})
        if row["cycles_mean"]:
            entry["nodes"] = int(row["nodes"])
            if float(row["carried"]) >= 0.97 * float(row["load"]):
                entry["carries"] = max(entry.get("carries", 0), float(row["load"]))
            if float(row["load"]) == question.load:
                entry["cycles"] = float(row["latency_mean"] or "inf")
        elif (row["width"], row["target"]) != (str(question.width), question.target):
            continue
        elif row["measured"] != "router":
            entry["luts"] = int(row["lut"])
            if row.get("mhz"):
                entry["mhz"] = float(row["mhz"])
    least, most = question.nodes
    return {
        key: entry
        for key, entry in found.items()
        if key[3] == question.sources
        and least <= entry.get("nodes", 0) <= most
        and "cycles" in entry
        and not key[0].startswith("file:")
    }


def measured_at(question: Question) -> list[Candidate]:
    """Those of the atlas whose latency need not be computed."""
    candidates = list_candidates(question, atlas())
    return [each for each in candidates if question.load in each.known.loads]


def meets(question: Question, entry: dict[str, float]) -> bool:
    cycles, mhz = entry.get("cycles", math.inf), entry.get("mhz", 1e-9)
    return (
        entry.get("carries", 0) >= question.load
        and (question.luts is None or entry.get("luts", math.inf) <= question.luts)
        and (question.mhz is None or mhz >= question.mhz)
        and (question.cycles is None or cycles <= question.cycles)
        and (question.ns is None or round(cycles * 1000 / mhz, 1) <= question.ns)
    )


def wanted(question: Question, entry: dict[str, float]) -> float:
    if question.least == "luts":
        return entry.get("luts", math.inf)
    cycles = entry.get("cycles", math.inf)
    if question.least == "cycles":
        return cycles
    return round(cycles * 1000 / entry["mhz"], 1) if "mhz" in entry else math.inf


def key_of(candidate: Candidate) -> tuple[str, ...]:
    return tuple(getattr(candidate.point, name) for name in NAMES)


def drawn(number: int) -> Question:
    """A question that has an answer about as often as not."""
    chance = random.Random(number)
    least = chance.choice([4, 6, 8, 12, 16, 24])
    limits = {
        "luts": chance.randrange(200, 5000),
        "mhz": chance.uniform(80, 240),
        "cycles": chance.uniform(3, 20),
        "ns": chance.uniform(20, 120),
    }
    asked = chance.sample(sorted(limits), chance.randrange(3))
    return Question(
        nodes=(least, least + chance.choice([0, 8, 40])),
        sources=chance.choice(["all", "all", "one"]),
        load=0.5,
        width=chance.choice([32, 32, 8]),
        target=chance.choice(["ecp5", "ecp5", "ice40", "nexus"]),
        least=chance.choice(["luts", "cycles", "ns"]),
        measured=True,
        **{name: limits[name] for name in asked},
    )


def test_networks_with_operations_are_left_out(tmp_path: Path) -> None:
    """Such a row has other LUTs and another clock: it must not stand for the plain network."""
    row = next(line for line in lines() if line["lut"] and line["measured"] != "router")
    more = row | {"operations": "barrier", "lut": "1", "mhz": "999"}
    table = tmp_path / "atlas.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*row, "operations"], restval="")
        writer.writeheader()
        writer.writerows([row, more])
    read = read_atlas(table)
    assert list(read.luts.values()) == [int(row["lut"])]
    assert 999 not in read.mhz.values()


@pytest.mark.parametrize("number", range(60))
def test_no_design_of_the_atlas_is_better(number: int) -> None:
    question = drawn(number)
    entries = looked_up(question)
    good = {key: entry for key, entry in entries.items() if meets(question, entry)}
    answer = choose(question, measured_at(question), top=3)
    assert answer.looked_at == len(entries)
    assert answer.meeting == len(good)
    values = sorted(wanted(question, entry) for entry in good.values())
    assert [wanted(question, entries[key_of(c)]) for c in answer.ranked] == values[:3]
    assert all(key_of(candidate) in good for candidate in answer.ranked)
    assert sum(len(failed.candidates) for failed in answer.failed) == len(entries) - len(good)


def test_there_are_questions_with_an_answer_and_without() -> None:
    questions = [drawn(number) for number in range(60)]
    found = [bool([e for e in looked_up(q).values() if meets(q, e)]) for q in questions]
    assert 15 < sum(found) < 50


@pytest.mark.parametrize("limit", ["luts", "mhz", "cycles", "ns"])
def test_every_condition_binds(limit: str) -> None:
    question = Question((4, 24), least="cycles" if limit == "luts" else "luts", measured=True)
    candidates = measured_at(question)
    by_clock = [each for each in candidates if each.mhz is not None]
    best = choose(question, by_clock).ranked[0]

    def value(candidate: Candidate) -> float:
        time = candidate.in_ns(candidate.latency)
        figures = {"luts": candidate.luts, "mhz": candidate.mhz, "cycles": candidate.latency}
        return figures.get(limit, time).value

    kept = replace(question, **{limit: value(best)})
    assert choose(kept, by_clock).ranked[0] == best
    step = 1 if limit == "luts" else 0.11
    tighter = replace(question, **{limit: value(best) + (step if limit == "mhz" else -step)})
    other = choose(tighter, by_clock)
    assert best not in other.ranked
    for each in other.ranked:
        assert (value(each) > value(best)) == (limit == "mhz")


def test_the_nearest_misses_by_least() -> None:
    question = Question((16, 24), luts=500, measured=True)
    answer = choose(question, measured_at(question))
    assert answer.ranked == ()
    luts = [entry.get("luts", math.inf) for entry in looked_up(question).values()]
    assert answer.nearest is not None
    assert answer.nearest.luts.value == min(luts)


def small(sources: str) -> list[Point]:
    return [
        point
        for point, known in atlas().designs.items()
        if known.nodes <= 24
        and point.sources == sources
        and point.algorithm == ("even" if sources == "all" else "shortest")
        and point.fabric == ("ordered" if sources == "all" else "direct")
        and not point.network.startswith("file:")
    ]


@pytest.mark.parametrize("sources", ["all", "one"])
def test_what_is_computed_is_what_was_measured(sources: str) -> None:
    points = small(sources)
    assert len(points) > 20
    for point in points:
        assert _computed(point) == replace(atlas().designs[point], loads={})


def test_a_network_that_is_not_in_the_atlas() -> None:
    question = Question((26, 26), load=0.3)
    candidates = list_candidates(question, atlas())
    (ring,) = [each for each in candidates if each.point.network == "ring:26"]
    design = ring.point.build()
    tree = STEPS["tree"].measure(design, Axes(), Path())
    run = STEPS["model"].measure(design, Axes(load=0.3), Path())
    assert (ring.cycles.value, ring.cycles.origin) == (tree["cycles_mean"], "computed")
    assert (ring.latency.value, ring.latency.origin) == (run["latency_mean"], "computed")
    assert ring.luts is not None
    assert ring.luts.origin == "estimated"
    assert 0 < ring.luts.error < 0.1


@pytest.mark.parametrize(
    ("network", "sources", "error"), [("star:4", "all", 0.03), ("hypercube:6", "one", 0.3)]
)
def test_an_estimate_is_near_what_it_does_not_know(
    network: str, sources: str, error: float
) -> None:
    known = atlas()
    point = Point(network, sources=sources).resolved()
    luts = {key: value for key, value in known.luts.items() if key[0].network != network}
    question = Question((2, 100), sources=sources)
    without = replace(known, luts=luts)
    candidates = {each.point: each for each in list_candidates(question, without)}
    guess = candidates[point].luts
    assert guess.origin == "estimated"
    assert guess.value == pytest.approx(known.luts[point, "ecp5"], rel=error)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        status = main(["choose", *arguments])
    except SystemExit as ending:
        status = ending.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command_that_is_told_generates_the_choice(capsys, tmp_path: Path, monkeypatch) -> None:
    asked = ("--nodes", "4", "--sources", "one", "--width", "8", "--json")
    status, out, _ = run(capsys, *asked)
    assert status == 0
    (chosen, _) = json.loads(out)["choices"]
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(chosen["command"])[1:]) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["network"], manifest["width"]) == (chosen["network"], 8)
    assert (manifest["fabric"], manifest["sources"]) == (chosen["fabric"], "one")
    assert chosen["fabric"] in CONTRACTS


def test_text_and_json_say_the_same(capsys) -> None:
    asked = ("--nodes", "16..24", "--luts", "2500", "--measured")
    _, out, _ = run(capsys, *asked, "--json")
    document = json.loads(out)
    best = document["choices"][0]
    status, text, _ = run(capsys, *asked)
    assert status == 0
    assert f"choice      {best['network']}, {best['fabric']} fabric" in text
    assert f"LUTs, ecp5  {best['luts']['value']} (measured)" in text
    assert f"generate    {best['command']}" in text
    assert f"of {document['meeting']} designs that meet all conditions" in text
    assert re.search(rf"^--luts 2500 +{document['failed'][-1]['designs']} ", text, re.MULTILINE)
    shown = run(capsys, *asked, "--top", "4")[1].split("\n\n")[1]
    assert len(shown.splitlines()) == 2 + 3


def test_what_cannot_be_had_is_told_with_the_nearest(capsys) -> None:
    status, out, err = run(capsys, "--nodes", "16..24", "--luts", "500", "--measured")
    assert (status, err) == (1, "")
    assert out.startswith("choice      none\nnearest     ")
    assert "fails       --luts 500: " in out
    status, out, _ = run(capsys, "--nodes", "16", "--luts", "500", "--measured", "--json")
    assert (status, json.loads(out)["choices"]) == (1, [])


BAD = {
    "nodes": (["--nodes", "9..3"], "a range such as 100..150 is needed"),
    "one node": (["--nodes", "1"], "--nodes 1..1: from 2 to 2000 nodes are allowed"),
    "load": (["--nodes", "9", "--load", "1.5"], "--load 1.5: above 0, up to 1 is allowed"),
    "full": (
        ["--nodes", "9", "--load", "1", "--latency", "9"],
        "--load 1: words wait longer and longer then, so that no --latency can be kept; use less",
    ),
    "luts": (["--nodes", "9", "--luts", "0"], "--luts 0: at least 1 is needed"),
    "chip": (["--nodes", "9", "--target", "x"], "--target x: is unknown; allowed: ecp5, ice40"),
    "width": (["--nodes", "9", "--width", "0"], "--width 0: from 1 to 512 bits are allowed"),
    "latency": (["--nodes", "9", "--latency", "9us"], "cycles such as 12, or a time such as 60ns"),
    "no latency": (["--nodes", "9", "--latency", "..ns"], "cycles such as 12, or a time"),
    "top": (["--nodes", "9", "--top", "0"], "--top 0: at least 1 is needed"),
    "clock": (["--nodes", "9", "--mhz", "0"], "from 1 to 1000 MHz are allowed"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_in_one_line(capsys, arguments: list[str], message: str) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_question_checks_itself() -> None:
    with pytest.raises(InputError, match="least='speed': allowed: cycles, ns, luts"):
        Question((4, 4), least="speed")
