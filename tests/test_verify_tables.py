"""``noc verify --verilog`` believes the tables that lie there, and checks them before it does."""

import json
import shutil
from pathlib import Path

import pytest

from noc.cli import main
from noc.design import build_design, build_direct, build_ordered
from noc.emit.folder import write
from noc.emit.verilog import modules
from noc.networks import build_network
from noc.programs.config import RouterConfig
from noc.programs.ordered_config import OrderedConfig
from noc.verify.folder import read_folder

OLDER = Path(__file__).parent / "data" / "older"

DESIGNS = {
    "star": lambda: build_direct(build_network("star:3"), width=8),
    "one source": lambda: build_direct(
        build_network("star:4"), "balanced", sources="one", config=RouterConfig(1, "block", 2)
    ),
    "one port": lambda: build_direct(build_network("scc:3"), ports="one"),
    "single": lambda: build_direct(build_network("mesh:3,2"), sources=[4]),
    "sites": lambda: build_direct(build_network("uhc:3")),
    "ordered": lambda: build_ordered(build_network("star:4")),
    "ordered, one-way": lambda: build_ordered(build_network("uhc:3"), sources=[1, 2, 6], root=3),
    "ordered, registers": lambda: build_ordered(
        build_network("mesh:2,2"),
        config=OrderedConfig(registers_of={(0, 1): 2, (3, 1): 1}, queue=3, own_words=True),
    ),
}


#: Whatever looks for automata, trees and codes.
SEARCHES = (
    "noc.design.build_automaton",
    "noc.design.compile_ordered",
    "noc.programs.build.choose_codes",
    "noc.programs.ordered.build_trees",
)


def no_search(*_arguments, **_options):
    raise AssertionError("something is searched for")


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_is_read_back_whole_without_a_search(name: str, tmp_path, monkeypatch) -> None:
    built = DESIGNS[name]()
    write(built, tmp_path / "out")
    for search in SEARCHES:
        monkeypatch.setattr(search, no_search)
    back = read_folder(tmp_path / "out").design
    assert back.digest == built.digest
    assert [module.text for module in modules(back)] == [module.text for module in modules(built)]
    program, wanted = back.program, built.program
    assert (program.sources, program.trees, back.sources) == (
        *(wanted.sources, wanted.trees),
        built.sources,
    )
    if hasattr(wanted, "tables"):
        assert program.states == wanted.states
        assert program.tables == wanted.tables
    else:
        assert (program.up.tolist(), program.down_cycles.tolist()) == (
            *(wanted.up.tolist(), wanted.down_cycles.tolist()),
        )


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    write(build_design(build_network("star:3"), fabric="direct", width=8), folder / "direct")
    write(build_design(build_network("star:3"), width=8), folder / "ordered")
    return folder


@pytest.fixture
def folders(written, tmp_path):
    return shutil.copytree(written, tmp_path / "folders")


def change(folder: Path, name: str, how) -> None:
    path = folder / f"{name}.json"
    document = json.loads(path.read_text())
    how(document)
    path.write_text(json.dumps(document))


def rewrite(folder: Path) -> None:
    """Verilog that agrees with the tables."""
    for module in modules(read_folder(folder).design):
        (folder / f"{module.name}.v").write_text(module.text)


def routers(document) -> list[dict]:
    return list(document["routers"].values())


def exchange_codes(document) -> None:
    """Codes 0 and 1 mean each other in all routers, and so they do where they are sent."""
    other = {0: 1, 1: 0}
    for router in routers(document):
        router["in_ports"] = {
            p: [other.get(c, c) for c in cs] for p, cs in router["in_ports"].items()
        }
        for row in router["codes"]:
            row["code"] = other.get(row["code"], row["code"])
            for send in row["sends"]:
                send["code"] = other.get(send["code"], send["code"])


def change_weights(document) -> None:
    """The root serves its own words as often as those of two nodes below it."""
    merges = next(iter(document["modules"].values()))["merges"]
    merges[0]["weights"] = [1, 1]


HAND_EDITED = {"direct": exchange_codes, "ordered": change_weights}
TRAFFIC = {"direct": "back-to-back:half", "ordered": "full:half", "operations": "mixed:half"}


def verify(folder: Path) -> int:
    return main(["verify", "--verilog", str(folder), "--traffic", TRAFFIC[folder.name]])


@pytest.mark.slow
@pytest.mark.parametrize("fabric", HAND_EDITED)
def test_edited_tables_verify_with_verilog_that_agrees_and_only_so(fabric, folders, capsys) -> None:
    folder = folders / fabric
    change(folder, "program", HAND_EDITED[fabric])
    assert verify(folder) == 1
    out = capsys.readouterr().out
    assert "DIFFERS" in out
    assert f"{TRAFFIC[fabric]}: cycle " in out
    assert any(f"node {label}" in out for label in ("123", "132", "213", "231", "312", "321"))
    rewrite(folder)
    assert verify(folder) == 0
    assert "the Verilog equals the model" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("fabric", TRAFFIC)
def test_a_folder_of_an_older_version_verifies(fabric, tmp_path, capsys) -> None:
    folder = shutil.copytree(OLDER / fabric, tmp_path / fabric)
    assert verify(folder) == 0
    assert "the Verilog equals the model" in capsys.readouterr().out


def sends_of(document, router: int, code: int) -> list[dict]:
    (row,) = [row for row in routers(document)[router]["codes"] if row["code"] == code]
    return row["sends"]


def row_of(document, router: int, code: int) -> dict:
    (row,) = [row for row in routers(document)[router]["codes"] if row["code"] == code]
    return row


DIRECT_SPOILT = {
    "never served": (lambda d: sends_of(d, 0, 3).pop(), "nodes received nothing, "),
    "served twice": (
        lambda d: sends_of(d, 0, 0).append({"port": "2", "code": 2}),
        "two copies meet at |a copy returns to ",
    ),
    "passed by": (lambda d: row_of(d, 0, 1).update(deliver=False), "passes it on and does not get"),
    "own word": (lambda d: row_of(d, 0, 3).update(deliver=True), "gets its own word"),
    "unknown code": (
        lambda d: sends_of(d, 0, 1)[0].update(code=1),
        "sends code 1 on port 2, which ",
    ),
    "no such port": (
        lambda d: sends_of(d, 0, 1)[0].update(port="9"),
        "sends[0].port: must be one of ",
    ),
    "two rows": (lambda d: row_of(d, 0, 1).update(code=2), "two rows"),
    "no router": (lambda d: d["routers"].popitem(), "there is no router "),
    "a wide code": (
        lambda d: row_of(d, 0, 1).update(code=4),
        "codes[1].code: must be of 2 bits, not 4",
    ),
    "no node": (
        lambda d: d["routers"].update(other=routers(d)[0]),
        "router 'other' is at no node",
    ),
    "no rows": (lambda d: d.pop("routers"), "program.json: routers is missing"),
}
ORDERED_SPOILT = {
    "served twice": (
        lambda d: (
            d["nodes"][0]["down_to"].reverse()
            or d["nodes"][0]["down_to"].__setitem__(0, d["nodes"][0]["down_to"][1])
        ),
        "123: down_to must be 213, 321, in any order, not 213, 213",
    ),
    "never served": (
        lambda d: d["nodes"][1].update(down_from="123"),
        "there is no link from 123 to 132",
    ),
    "no way up": (lambda d: d["nodes"][1].update(up_to="213"), "there is no link from 132 to 213"),
    "in a circle": (
        lambda d: [d["nodes"][2].update(up_to="312")],
        "not every node leads up to the root",
    ),
    "a merge": (
        lambda d: d["modules"]["noc_star_3_node_0"]["merges"][1].update(streams=[0, 3]),
        "merges[1]: streams 0 and 3 are not both to be had",
    ),
    "no merge": (
        lambda d: d["modules"]["noc_star_3_node_0"]["merges"].pop(),
        "2 streams are left where one must go on",
    ),
    "a root": (lambda d: d.update(root="132"), "down_slots|must be null at the root"),
    "a source": (
        lambda d: d["modules"]["noc_star_3_node_1"].update(inputs=[]),
        "up_from must be ",
    ),
    "no nodes": (lambda d: d.pop("nodes"), "program.json: nodes is missing"),
}
SPOILT = [("direct", *case) for case in DIRECT_SPOILT.items()]
SPOILT += [("ordered", *case) for case in ORDERED_SPOILT.items()]


@pytest.mark.parametrize(("fabric", "name", "case"), SPOILT, ids=lambda v: str(v)[:20])
def test_tables_that_are_no_spanning_trees_are_one_line(
    fabric: str, name: str, case, folders, capsys
) -> None:
    how, message = case
    change(folders / fabric, "program", how)
    assert verify(folders / fabric) == 2, name
    err = capsys.readouterr().err
    assert any(part in err for part in message.split("|")), err
    assert err.count("\n") == 1


@pytest.mark.parametrize("fabric", ["direct", "ordered"])
@pytest.mark.parametrize("contract", [0, 2, "1", None])
def test_another_contract_is_refused(fabric, contract, folders, capsys) -> None:
    change(folders / fabric, "manifest", lambda d: d.update(contract=contract))
    assert verify(folders / fabric) == 2
    err = capsys.readouterr().err
    assert f"the {fabric} fabric is of contract {contract!r}, where this version" in err
    assert err.count("\n") == 1


def test_a_folder_of_the_direct_fabric_for_several_senders_is_refused(folders, capsys) -> None:
    change(folders / "direct", "manifest", lambda d: d.update(sources="all", vcs=3))
    assert verify(folders / "direct") == 2
    assert "the direct fabric is for one sender at a time, and this" in capsys.readouterr().err
