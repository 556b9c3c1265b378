"""What is wrong with the manifest or the program of a folder is refused in one line."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from folders import shift_rounds, spoilt

from noc.design import build_design
from noc.emit.folder import write

Document = dict[str, Any]

DIRECT = {"fabric": "direct", "width": 8}
SLICED = {"fabric": "direct", "algorithm": "disjoint", "sinks": "always-ready", "width": 17}
TIMED = {"fabric": "timetable", "width": 16}

#: Networks and options.
FOLDERS: dict[str, tuple[str, Document]] = {
    "direct": ("star:3", DIRECT),
    "links": ("uhc:2", DIRECT),
    "tables": ("mesh:2,3", {"fabric": "direct", "rom": "writable"}),
    "slices": ("mesh:2,3", SLICED),
    "dead links": ("mesh:2,3", SLICED | {"survive": 1, "dead": "0.0/0.1"}),
    "ordered": ("star:3", {"width": 8}),
    "operations": ("star:3", {"width": 8, "operations": "broadcast,send,all_reduce:sum"}),
    "always ready": ("star:3", {"sinks": "always-ready"}),
    "queued": ("star:3", {"sinks": "queued", "queue": 5}),
    "tmr": ("ring:3", {"protect": "tmr"}),
    "rounds": ("mesh:2,3", TIMED),
    "ready": ("star:4", TIMED | {"start": "ready"}),
    "exchange": ("star:3", TIMED | {"exchange": "all_to_all"}),
    "sums": ("mesh:2,3", TIMED | {"exchange": "all_reduce:sum", "round": 2}),
}


def routers(program: Document) -> list[Document]:
    return [*program["routers"].values()]


def row_of(program: Document, router: int, code: int) -> Document:
    (row,) = [row for row in routers(program)[router]["codes"] if row["code"] == code]
    return row


def sends_of(program: Document, router: int, code: int) -> list[Document]:
    sends: list[Document] = row_of(program, router, code)["sends"]
    return sends


def phases_of(program: Document) -> list[Any]:
    """What the first out-port of the first router sends in each phase."""
    phases: list[Any] = routers(program)[0]["sends"][0]["phases"]
    return phases


def sums_of(program: Document) -> list[list[Document]]:
    """All words that are added up, with at least one of the node's own."""
    sends = [send for table in routers(program) for send in table["sends"]]
    sums = [phase for send in sends for phase in send["phases"] if phase]
    return [words for words in sums if words[0]["in_port"] is None]


def serve_twice(program: Document) -> None:
    nodes = program["nodes"][0]["down_to"]
    nodes.reverse()
    nodes[0] = nodes[1]


def shorten(program: Document, key: str) -> None:
    plan = next(plan for plan in program["modules"].values() if plan.get(key, 0) > 1)
    plan[key] -= 1


def wait_longer(program: Document) -> None:
    for lane in (lane for table in routers(program) for lane in table["waits"]):
        lane[:] = [each + 1 for each in lane]


OWN_WORD = {"in_port": None, "age": 1}
DEAD = {"from": "0.0", "to": "0.1", "out_port": "y+"}

#: Of each folder what is done to its manifest, or what it says then, and the complaint; one of
#: several, where it depends on the tables which node is named first.
MANIFESTS: dict[str, list[tuple[Callable[[Document], Any] | Document, str]]] = {
    "links": [
        (lambda m: m.pop("width"), "width is missing"),
        (lambda m: m.pop("top"), "manifest.json: top is missing"),
        ({"files": []}, "lists no Verilog files"),
        (lambda m: m["files"].append("none.v"), "there is no such file"),
        (lambda m: m["nodes"].pop(), "nodes are not those of uhc:2"),
        (lambda m: m["nodes"][0]["eject"].pop("ready"), "node 00, eject stream: ready is missing"),
        ({"sources": "many"}, "sources must be all, one or labels"),
        ({"network": "uhc:99"}, "uhc:99"),
        ({"network": ["uhc:2"]}, "no family"),
        ({"width": True}, "width must be a whole number"),
        ({"width": 0}, "from 1 to 512 bits"),
        ({"files": "top.v"}, "files must be a list"),
        ({"nodes": 4}, "manifest.json: nodes: must be a list, not 4"),
        ({"top": "a b"}, "'a b' is no name of a signal or module"),
        ({"clock": None}, "None is no name of a signal or module"),
        (lambda m: m["links"][0].update(in_port="north"), "links[0].in_port: must be one of "),
        (
            lambda m: m["links"][0]["fields"][0].update(bits=7),
            "fields must be code of 3 bits, data of ",
        ),
        (lambda m: m["links"].append(m["links"][0]), "is the name of two streams"),
        (lambda m: m["nodes"][1].update(inject=None), "the inject streams are not those of the so"),
        *(({"queue": value}, f"--queue {value}: ") for value in ("x", None, True, [1])),
        ({"link_registers": True}, "--link-registers True: "),
    ],
    "direct": [
        *(({"contract": n}, f"direct fabric is of contract {n!r}, where") for n in (0, 2, "1")),
        ({"contract": None}, "the direct fabric is of contract None, where this version"),
        ({"queue": "x"}, "manifest.json: --queue x: from 0 to 1024 words are allowed"),
        ({"link_registers": 2}, "manifest.json: --link-registers 2: the direct fabric takes 0 or"),
        ({"sources": "all", "vcs": 3}, "the direct fabric is for one sender at a time, and this"),
    ],
    "ordered": [
        *(({"contract": n}, f"ordered fabric is of contract {n!r}, where") for n in (0, 2, "1")),
        ({"contract": None}, "the ordered fabric is of contract None, where this version"),
    ],
    "operations": [
        ({"collectives_contract": 1}, "collectives_contract is 1; this version verifies 3"),
        ({"operations": {"broadcast": 1}}, "operations must be numbered from 0"),
    ],
    "always ready": [
        (
            lambda m: m["nodes"][0]["eject"].update(ready="x"),
            "has a ready, where sinks are always ready",
        ),
    ],
    "tmr": [({"protect": "five"}, "manifest.json: --protect five: none, tmr or detect are allow")],
    "tables": [
        (lambda m: m.pop("load"), "load is missing"),
        (lambda m: m["load"]["fields"].pop(), "the fields must be sends"),
        ({"rom": "block"}, "load is only for"),
        (lambda m: m.pop("loading"), "loading is missing"),
        (lambda m: m["load"]["out_ports"].reverse(), "out_ports: those of"),
        (lambda m: m["load"].update(ready="idle"), "load: has a ready"),
        (lambda m: m["load"].pop("valid"), "load: valid is missing"),
    ],
    "slices": [
        ({"slices": 3}, "slices: "),
        ({"slice_bits": 8}, "slice_bits: "),
        (lambda m: m.pop("slices"), "slices: "),
    ],
    "dead links": [
        ({"slices": 3}, "slices: "),
        ({"slice_bits": 8}, "slice_bits: "),
        (lambda m: m.pop("slices"), "slices: "),
        ({"dead_links": [DEAD | {"to": "1.0"}]}, "as the tables have it"),
        ({"dead_links": [DEAD | {"out_port": "z"}]}, "dead_links[0].out_port"),
        ({"dead_links": [{"from": "0.0", "to": "0.1"}]}, "dead_links[0]"),
        ({"dead_links": [DEAD | {"to": "9.9"}]}, "9.9"),
    ],
    "rounds": [
        ({"round": 99}, "round: 99 is not "),
        ({"inject_phase": 1}, "inject_phase: 1 is not 0"),
        (lambda m: m["nodes"][0]["lanes"].reverse(), "lanes: the tables have other"),
        (lambda m: m["nodes"][0].pop("lanes"), "lanes: the tables have other"),
        (lambda m: m["nodes"][0]["phase"].update(bits=9), "phase: the tables"),
        (lambda m: m["nodes"][0].pop("phase"), "'phase'"),
    ],
    "ready": [({"kept_rounds": 2}, "kept_rounds: 2 is not 3")],
    "exchange": [
        ({"exchange": "gather"}, "root is missing"),
        ({"exchange": "listed"}, "at least one word is needed"),
        ({"words": [{"from": "123"}]}, "words[0]: to is missing"),
        ({"sources": ["123"]}, "sources: the tables have others"),
        ({"exchange": "broadcast"}, "broadcast"),
        (
            lambda m: m["nodes"][0]["inject_lanes"][0]["targets"].reverse(),
            "inject_lanes: the tables have other targets",
        ),
        (lambda m: m["nodes"][0]["inject"].pop(), "inject streams are needed"),
    ],
    "sums": [
        (lambda m: m.pop("operator"), "an operator is needed"),
        ({"operator": "mul"}, "there is no operator 'mul'"),
        (
            {"exchange": "all_to_all", "operator": ""},
            "the routers' words are not those of all_to_all",
        ),
        ({"exchange": "reduce_scatter"}, "sum"),
        (shift_rounds, "inject_lanes: the tables have other targets"),
        ({"sums": 3}, "sums: 3 is not 2"),
        ({"start": "start", "start_cycles": 3, "moves": "moves"}, "rounds of sums overlap"),
        ({"root": "0.0"}, "root: all_reduce has none"),
    ],
}

#: The same of what is done to the program.
PROGRAMS: dict[str, list[tuple[Callable[[Document], Any], str]]] = {
    "direct": [
        (lambda p: sends_of(p, 0, 3).pop(), "nodes received nothing, "),
        (
            lambda p: sends_of(p, 0, 0).append({"port": "2", "code": 2}),
            "two copies meet at |a copy returns to ",
        ),
        (lambda p: row_of(p, 0, 1).update(deliver=False), "passes it on and does not get"),
        (lambda p: row_of(p, 0, 3).update(deliver=True), "gets its own word"),
        (lambda p: sends_of(p, 0, 1)[0].update(code=1), "sends code 1 on port 2, which "),
        (lambda p: sends_of(p, 0, 1)[0].update(port="9"), "sends[0].port: must be one of "),
        (lambda p: row_of(p, 0, 1).update(code=2), "two rows"),
        (lambda p: p["routers"].popitem(), "there is no router "),
        (lambda p: row_of(p, 0, 1).update(code=4), "codes[1].code: must be of 2 bits, not 4"),
        (lambda p: p["routers"].update(other=routers(p)[0]), "router 'other' is at no node"),
        (lambda p: p.pop("routers"), "program.json: routers is missing"),
    ],
    "ordered": [
        (serve_twice, "123: down_to must be 213, 321, in any order, not 213, 213"),
        (lambda p: p["nodes"][1].update(down_from="123"), "there is no link from 123 to 132"),
        (lambda p: p["nodes"][1].update(up_to="213"), "there is no link from 132 to 213"),
        (lambda p: p["nodes"][2].update(up_to="312"), "not every node leads up to the root"),
        (
            lambda p: p["modules"]["noc_star_3_node_0"]["merges"][1].update(streams=[0, 3]),
            "merges[1]: streams 0 and 3 are not both to be had",
        ),
        (
            lambda p: p["modules"]["noc_star_3_node_0"]["merges"].pop(),
            "2 streams are left where one must go on",
        ),
        (lambda p: p.update(root="132"), "down_slots|must be null at the root"),
        (lambda p: p["modules"]["noc_star_3_node_1"].update(inputs=[]), "up_from must be "),
        (lambda p: p.pop("nodes"), "program.json: nodes is missing"),
    ],
    "queued": [
        (lambda p: shorten(p, "stop_inputs"), ".stop_inputs: must be "),
        (lambda p: shorten(p, "depth"), ".depth: must be "),
        (
            lambda p: p["modules"]["noc_star_3_node_0"].update(turn_slots=1),
            "noc_star_3_node_0.turn_slots: must be 0 for 123",
        ),
    ],
    "rounds": [
        (lambda p: routers(p)[0]["sends"][0].update(port="9"), "sends[0].port: must be one of "),
        (lambda p: routers(p)[0].update(round=2), "sends: every port that is used"),
        (lambda p: phases_of(p).__setitem__(-1, None), "does not come to "),
        (
            lambda p: routers(p)[0]["in_ports"].pop(),
            "has other in-ports than those on which words come",
        ),
        (
            lambda p: phases_of(p).__setitem__(1, OWN_WORD | {"age": 0}),
            "sends an own word, which is for step 1",
        ),
        (lambda p: phases_of(p).__setitem__(0, {"in_port": "x+", "age": 0}), "that has not come"),
    ],
    "exchange": [
        (lambda p: routers(p)[0].pop("takes"), "the routers' words are not those of all_to_all"),
        (
            lambda p: [
                each.__setitem__(slice(None), [False] * 5) for each in routers(p)[0]["takes"]
            ],
            "does not come to",
        ),
        (lambda p: routers(p)[0]["takes"][0].pop(), "takes: every in-port needs 5 phases"),
    ],
    "sums": [
        (lambda p: routers(p)[0].pop("waits"), "lists of some are needed"),
        (lambda p: routers(p)[0]["waits"].pop(), "waits: every port of own"),
        (
            lambda p: routers(p)[0]["waits"][0].__setitem__(slice(None), [9, 9]),
            "in other rounds",
        ),
        (lambda p: phases_of(p).__setitem__(0, OWN_WORD), "lists of some are needed"),
        (lambda p: sums_of(p)[0][0].update(age=7), "cannot be 7 cycles old"),
        (lambda p: sums_of(p)[0].append(OWN_WORD), "has each word once"),
        (lambda p: sums_of(p)[0][0].update(age=10**30), "age"),
        (
            lambda p: [
                each.update(sends=[], waits=[], takes=[], in_ports=[]) for each in routers(p)
            ],
            "no node gets a sum",
        ),
        (wait_longer, "must be 0 in phases in which no word"),
        (lambda p: routers(p)[0]["sends"][0].update(phases=[None, None]), ""),
        (lambda p: routers(p)[0].pop("takes"), "takes: is missing"),
    ],
}


def cases(file: str, table: dict[str, list[Any]]) -> list[Any]:
    return [(file, kind, *case) for kind, listed in table.items() for case in listed]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    @cache
    def folder(kind: str) -> Path:
        spec, options = FOLDERS[kind]
        path = tmp_path_factory.mktemp("written") / "out"
        write(build_design(spec, **options), path)
        return path

    return folder


@pytest.mark.cases(50)
@pytest.mark.parametrize(
    ("file", "kind", "how", "message"), [*cases("manifest", MANIFESTS), *cases("program", PROGRAMS)]
)
def test_what_is_wrong_is_told_in_one_line(
    file: str, kind: str, how: Any, message: str, written, cli, tmp_path: Path
) -> None:
    def spoil(*documents: Document) -> None:
        document = documents[file == "program"]
        document.update(how) if isinstance(how, dict) else how(document)

    spoilt(written(kind), tmp_path, spoil)
    told = cli.refusal("verify", "--verilog", tmp_path)
    assert any(part in told for part in message.split("|"))
    assert f"{file}.json: " in told or kind in ("links", "sums")
    if kind == "tables":
        assert cli.refusal("repair", tmp_path)
