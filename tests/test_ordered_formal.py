"""Proofs about the parts of the ordered fabric; what they say is in ``docs/formal.md``.

All are unbounded: ABC's property directed reachability finds the invariants itself. Covers are
reached within 30 cycles.
"""

import json
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from formal import cones, ordered, tool
from formal.ordered_faults import ORDERED_FAULTS, UNREACHED, WIRED, PartFault, parts_with
from formal.parts import PARTS, PartBench, part

import noc.emit
from noc.design import build_ordered
from noc.emit.manifest import build_manifest
from noc.networks import build_network

SLOW = pytest.mark.slow

# Cycles in which all covers are reached.
DEPTH = 30

# The rule of a part is proven in a moment; it is all that there is to say of its cycles.
QUICK = {name: {"rule"} for name in PARTS if not name.startswith("node")}
QUICK |= {name: {"rule", "word", "pair"} for name in ("merge 1:3/2", "fork 2")}
BY_PROMISE = {"streams_stay", "once_at_each_exit", "arrives_in_time", "weights_are_exact"}


def groups() -> Iterator:
    for name in PARTS:
        for group in ordered.promises(name):
            marks = [] if group in QUICK.get(name, ()) else [SLOW]
            yield pytest.param(name, group, id=f"{name}-{group}", marks=marks)


@pytest.mark.cases(2, ci=7)
@tool.proofs
@pytest.mark.parametrize(("name", "group"), list(groups()))
def test_a_part_keeps_its_promises_for_ever(tmp_path: Path, name: str, group: str) -> None:
    tool.prove(tmp_path, PartBench(part(name), *ordered.promises(name)[group])).check("PASS")


@pytest.mark.cases(1, ci=3)
@tool.proofs
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=SLOW) for name in PARTS]
)
def test_the_promises_are_about_something(tmp_path: Path, name: str) -> None:
    watchers = [watcher for group in ordered.promises(name).values() for watcher in group]
    tool.cover(tmp_path, PartBench(part(name), *watchers), depth=DEPTH).check("PASS")


def faults() -> Iterator:
    """As quick tests the first fault of some promises, as slow ones all others."""
    seen = set()
    for name, fault in ORDERED_FAULTS.items():
        quick = fault.promise in BY_PROMISE - seen
        seen.add(fault.promise)
        yield pytest.param(fault, id=name, marks=[] if quick else [SLOW])


def broken(fault: PartFault) -> PartBench:
    return PartBench(part(fault.part, parts_with(fault)), getattr(ordered, fault.promise))


@pytest.mark.cases(1)
@tool.proofs
@pytest.mark.parametrize("fault", list(faults()))
def test_a_planted_fault_breaks_its_promise(tmp_path: Path, fault: PartFault) -> None:
    tool.prove(tmp_path, broken(fault), traces=False).check("FAIL")


@tool.proofs
@pytest.mark.slow
@pytest.mark.parametrize("fault", UNREACHED.values(), ids=UNREACHED)
def test_a_planted_fault_leaves_something_unreached(tmp_path: Path, fault: PartFault) -> None:
    tool.cover(tmp_path, broken(fault), depth=DEPTH).check("FAIL")


def test_every_fault_can_be_planted() -> None:
    """Those of slow proofs, too: each is a text of the hardware as it is today."""
    for fault in ORDERED_FAULTS.values():
        parts_with(fault)


def test_every_promise_is_broken_by_a_fault() -> None:
    promises = {
        watcher.__name__
        for name in PARTS
        for group in ordered.promises(name).values()
        for watcher in group
    }
    assert {fault.promise for fault in ORDERED_FAULTS.values()} == promises


# No stream's ready waits for its own valid.
MERGED = {("first__ready", "second__valid"), ("second__ready", "first__valid")}

# Every output that depends on an input within a cycle.
PATHS = {
    "buffer 1": {("i__ready", "o__ready")},
    "buffer 2": set(),
    "merge 1:3/1": MERGED | {("first__ready", "o__ready"), ("second__ready", "o__ready")},
    "merge 1:3/2": MERGED,
    "fork 2": {
        *((f"o__{n}__valid", source) for n in range(2) for source in ("i__valid", "skip")),
        *((f"o__{n}__payload", "i__payload") for n in range(2)),
        *(("i__ready", source) for source in ("o__0__ready", "o__1__ready", "skip")),
    },
    "node chain up": {("inject__ready", "up_in__0__valid"), ("up_in__0__ready", "inject__valid")},
}


@pytest.mark.cases(5)
@tool.proofs
@pytest.mark.parametrize("name", PATHS)
def test_what_depends_on_what_within_a_cycle(tmp_path: Path, name: str) -> None:
    assert cones.paths(tmp_path, part(name)) == PATHS[name]


NODES = ["node leaf up", "node chain up", "node relay up", "node two children up", "node wide up"]


@pytest.mark.cases(4)
@tool.proofs
@pytest.mark.parametrize("name", NODES)
def test_neither_way_through_a_node_depends_on_the_other(tmp_path: Path, name: str) -> None:
    assert cones.joined_ways(tmp_path, part(name)) == set()


@pytest.mark.cases(10)
@tool.proofs
@pytest.mark.parametrize("name", sorted({*PATHS, *NODES, "node root", "node queue down"}))
def test_no_data_decide(tmp_path: Path, name: str) -> None:
    assert cones.data_leaks(tmp_path, part(name)) == []


@tool.proofs
@pytest.mark.parametrize("fault", WIRED.values(), ids=WIRED)
def test_a_planted_fault_shows_in_the_netlist(tmp_path: Path, fault: PartFault) -> None:
    built = part(fault.part, parts_with(fault))
    sound: dict[str, set] = {"paths": PATHS.get(fault.part, set()), "joined_ways": set()}
    result = getattr(cones, fault.promise)(tmp_path, built)
    assert set(result) > sound.get(fault.promise, set())


# A ring of links that lead one way only, with a way back over a chord.
ONE_WAY = {
    "nodes": 5,
    "two-way": False,
    "links": [{"from": int(a), "to": int(b)} for a, b in ("01", "12", "23", "34", "40", "20")],
}


@pytest.fixture(params=["star:3", "ring:4", "scc:3", "uhc:3", "one-way"])
def certified(request, tmp_path: Path):
    """A network's manifest, and the script of the folder that checks its certificate."""
    spec = request.param
    if spec == "one-way":
        graph = tmp_path / "graph.json"
        graph.write_text(json.dumps(ONE_WAY))
        spec = f"file:{graph}"
    built = build_ordered(build_network(spec), width=4)
    script = Path(noc.emit.__file__).parent / "bench" / "certificate.py"
    root = {"root": built.network.label(built.program.root)}
    return (
        json.loads(json.dumps(build_manifest(built, []))),
        root,
        runpy.run_path(str(script))["check"],
    )


def test_the_certificate_shows_that_no_dependency_cycle_closes(certified) -> None:
    known, root, check = certified
    # Each link is waited for in its tree, and the root's buffer by itself.
    assert check(known, root) == len(known["links"]) + 1 == 2 * (len(known["nodes"]) - 1) + 1


def test_ranks_that_were_exchanged_are_noticed(certified) -> None:
    known, root, check = certified
    for node in range(len(known["nodes"])):
        wrong = json.loads(json.dumps(known))
        wrong["certificate"][node].reverse()
        with pytest.raises(ValueError, match=r"^buffer [01] at .+, rank \d+, may wait for buffer"):
            check(wrong, root)


def test_ranks_of_two_nodes_that_were_exchanged_are_noticed(certified) -> None:
    known, root, check = certified
    for link in known["links"]:
        ends = [
            [node["label"] for node in known["nodes"]].index(link[end]) for end in ("from", "to")
        ]
        wrong = json.loads(json.dumps(known))
        ranks = wrong["certificate"]
        ranks[ends[0]], ranks[ends[1]] = ranks[ends[1]], ranks[ends[0]]
        with pytest.raises(ValueError, match=r"^buffer [01] at .+, rank \d+, may wait for buffer"):
            check(wrong, root)
