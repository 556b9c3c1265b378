"""Exact search of one-port schedules: what the formula means, and certificates of the table."""

import csv
import hashlib
import importlib
import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

from noc.cli import main
from noc.errors import CheckError, InputError
from noc.networks import Network, build_network
from noc.programs.execute import execute
from noc.research.schedules import store
from noc.research.schedules.formula import KINDS, Formula, broadcast_formula
from noc.research.schedules.interchange import interchangeable, links_of_pairs
from noc.research.sweep import proofs, read_plan, read_table
from noc.research.sweep.proofs import check_proof, keep_proof, name_of, play, read_proof, read_sends
from noc.research.sweep.run import measure_task
from noc.trees import build_tree
from noc.trees.bounds import floor, growth_bound

ROOT = Path(__file__).parent.parent

#: At most 8 nodes: what brute force can do.
TINY = [
    *("star:3", "hypercube:3", "uhc:2", "uhc:3", "ring:5", "ring:8", "mesh:2,3", "mesh:7"),
    *("complete:5", "tree:2,2", "tree:3,1", "torus:2,4", "file:tests/data/mixed.json"),
]

#: Solved or checked within a second or two.
QUICK_NODES, QUICK_BYTES = 130, 1_000


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def satisfiable(formula: Formula, kinds: Mapping = KINDS) -> bool:
    solvers = pytest.importorskip("pysat.solvers", reason="pip install '.[search]'")
    with solvers.Cadical195(bootstrap_with=formula.clauses(kinds)) as solver:
        return solver.solve()


@cache
def fewest(spec: str, root: int) -> int:
    """Brute force: all sets of nodes that can have the word after each step."""
    network = build_network(spec)
    rows = [[node for node in row if node >= 0] for row in network.neighbour.tolist()]
    states, steps = {frozenset([root])}, 0
    while frozenset(range(network.nodes)) not in states:
        states = {
            state.union(receivers)
            for state in states
            for receivers in itertools.product(*([node, *rows[node]] for node in state))
        }
        steps += 1
    return steps


@pytest.mark.parametrize("spec", TINY)
def test_the_formula_says_what_brute_force_finds(spec: str) -> None:
    network = build_network(spec)
    assert network.nodes <= 8
    for root in {0, network.nodes // 2}:
        for steps in range(1, fewest(spec, root) + 2):
            for order in (True, False):
                formula = broadcast_formula(network, root, steps, order=order)
                assert satisfiable(formula) == (steps >= fewest(spec, root)), (root, steps, order)


@pytest.mark.parametrize("spec", ["star:3", "hypercube:3", "uhc:3", "scc:3"])
def test_the_search_and_the_bounds_agree_with_brute_force(spec: str) -> None:
    network = build_network(spec)
    assert build_tree(network, "fewest-steps", ports="one").steps == fewest(spec, 0)
    assert floor(network, 0) <= growth_bound(network, 0) <= fewest(spec, 0)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "order"])
def test_brute_force_notices_a_missing_kind_of_clauses(kind: str) -> None:
    less = {name: clauses for name, clauses in KINDS.items() if name != kind}
    formulas = [broadcast_formula(build_network(spec), 0, fewest(spec, 0) - 1) for spec in TINY]
    assert any(satisfiable(formula, less) for formula in formulas)


def test_brute_force_notices_an_order_of_nodes_that_cannot_change_places() -> None:
    # From the second node of a row of four the long side must come first.
    network = build_network("mesh:4")
    assert interchangeable(network, 1) == ()
    formula = broadcast_formula(network, 1, fewest("mesh:4", 1))
    assert satisfiable(formula)
    assert not satisfiable(replace(formula, order=((0, 2),)))


@pytest.mark.parametrize("spec", [*TINY, "nk-star:4,2", "incomplete-star:4,3", "scc:3", "uhc:4"])
def test_nodes_change_places_where_an_automorphism_swaps_them(spec: str) -> None:
    network = build_network(spec)
    graph = nx.DiGraph(links_of_pairs(network))
    receivers = sorted(graph.successors(0))
    classes = {node: members for members in interchangeable(network, 0) for node in members}
    for one, other in itertools.combinations(receivers, 2):
        marks = [{node: node for node in (0, *receivers)} for _ in range(2)]
        marks[1] |= {one: other, other: one}
        here, there = (graph.copy() for _ in marks)
        for each, mark in zip((here, there), marks, strict=True):
            nx.set_node_attributes(each, {node: mark.get(node, -1) for node in each}, "mark")
        same = nx.is_isomorphic(here, there, node_match=lambda a, b: a["mark"] == b["mark"])
        assert same == (other in classes.get(one, ())), (one, other)


def test_a_formula_is_written_as_others_read_it(tmp_path: Path, cli) -> None:
    formulas = pytest.importorskip("pysat.formula", reason="pip install '.[search]'")
    path = tmp_path / "scc.cnf"
    told = cli.out("tree", "scc:3", "--cnf", "5", path, "--root", "3:123")
    network = build_network("scc:3")
    formula = broadcast_formula(network, network.node("3:123"), 5)
    read = formulas.CNF(from_file=str(path))
    assert (read.clauses, read.nv) == (list(formula.clauses()), formula.variables)
    assert hashlib.sha256(path.read_bytes()).hexdigest() in told
    for steps, file in (("0", path), ("x", path), ("3", tmp_path / "no" / "x.cnf")):
        told = cli.refusal("tree", "scc:3", "--cnf", steps, file)
        assert told.startswith("noc tree: error: --cnf ")
    with pytest.raises(InputError, match=r"^steps: 0 is out of range"):
        broadcast_formula(network, 0, 0)


#: On hypercube:2, whose nodes 0 and 3 are not neighbours.
UNPLAYABLE = [
    ([(1, 0, 3), (2, 0, 1), (3, 0, 2)], "no link leads from node 0 to 3"),
    ([(1, 0, 1), (1, 1, 3), (2, 0, 2)], "node 1 sends in step 1 what it lacks"),
    ([(1, 2, 3), (2, 0, 1), (2, 3, 2)], "node 2 sends in step 1 what it lacks"),
    ([(1, 0, 1), (1, 0, 2), (2, 1, 3)], "node 0 sends twice in step 1"),
    ([(1, 0, 1), (2, 0, 2), (3, 1, 3), (3, 2, 3)], "node 3 receives twice"),
    ([(1, 0, 1), (2, 1, 3)], "1 nodes get no word"),
]


@pytest.mark.parametrize(("sends", "message"), UNPLAYABLE)
def test_what_is_no_broadcast_is_refused(sends: list[tuple[int, int, int]], message: str) -> None:
    network = build_network("hypercube:2")
    assert play(network, 0, [(1, 0, 1), (2, 1, 3), (2, 0, 2)]) == 2
    with pytest.raises(CheckError, match=message):
        play(network, 0, sends)


@pytest.fixture
def checker() -> str:
    try:
        return proofs.checkers()[0]
    except InputError as error:
        pytest.skip(str(error))


def written(network: Network, steps: int, folder: Path) -> Path:
    path = folder / "a.cnf"
    path.write_text(broadcast_formula(network, 0, steps).text(), encoding="ascii")
    return path


def test_a_false_proof_is_refused(checker: str, tmp_path: Path) -> None:
    network, proof = build_network("nk-star:6,2"), tmp_path / "a.drat"
    cnf = written(network, 5, tmp_path)
    true = read_proof(ROOT / "docs" / "certificates" / f"{name_of(network, 0, 5)}.drat.xz")
    lines = true.decode().splitlines(keepends=True)
    proof.write_bytes(true)
    assert check_proof(cnf, proof, tmp_path).startswith(checker)
    # Only its end; nothing; and all of it, for a formula that can be satisfied.
    for steps, text in ((5, lines[-1:]), (5, []), (6, lines)):
        cnf = written(network, steps, tmp_path)
        proof.write_text("".join(text), encoding="ascii")
        with pytest.raises(CheckError, match=f"^{checker} does not accept the proof that "):
            check_proof(cnf, proof, tmp_path)


def kept() -> list[dict[str, str]]:
    with (ROOT / "docs" / "schedules.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["certificate"]]


def root_of(row: dict[str, str], network: Network) -> int:
    return 0 if row["sources"] == "one" else network.node(row["sources"])


def test_certificates_are_those_of_the_table() -> None:
    folder = ROOT / "docs" / "certificates"
    assert {row["certificate"] for row in kept()} == {path.name for path in folder.iterdir()}
    for row in kept():
        packed = (folder / row["certificate"]).read_bytes()
        assert hashlib.sha256(packed).hexdigest() == row["certificate_sha256"]
        assert row["certificate_bytes"] == str(len(packed))
        assert int(row["least_steps"]) == int(row["broadcast_steps"]) > int(row["floor"])


def check_certificate(row: dict[str, str], formula: Formula, checker: str, folder: Path) -> None:
    cnf, proof = folder / "a.cnf", folder / "a.drat"
    cnf.write_text(formula.text(), encoding="ascii")
    proof.write_bytes(read_proof(ROOT / "docs" / "certificates" / row["certificate"]))
    assert check_proof(cnf, proof, folder).startswith(checker)


def test_certificates_are_for_the_formulas_of_today(checker: str, tmp_path: Path) -> None:
    checked = 0
    for row in kept():
        network = build_network(row["network"])
        if network.nodes > QUICK_NODES:
            continue
        root = root_of(row, network)
        assert floor(network, root) == int(row["floor"])
        formula = broadcast_formula(network, root, int(row["broadcast_steps"]) - 1)
        assert formula.digest() == row["cnf_sha256"], row["network"]
        if int(row["certificate_bytes"]) <= QUICK_BYTES:
            check_certificate(row, formula, checker, tmp_path)
            checked += 1
    assert checked >= 10


@pytest.mark.slow
def test_all_certificates_are_accepted(checker: str, tmp_path: Path) -> None:
    for row in kept():
        network = build_network(row["network"])
        formula = broadcast_formula(network, root_of(row, network), int(row["broadcast_steps"]) - 1)
        assert formula.digest() == row["cnf_sha256"]
        check_certificate(row, formula, checker, tmp_path)


def test_what_commands_claim_stands_in_the_table() -> None:
    rows = {f"docs/certificates/{row['certificate']}": row for row in kept()}
    claims = {spec: entry for spec, entry in store.load().items() if entry.proof}
    assert {"scc:4", "scc:6", "nk-star:6,2", "incomplete-star:5,4"} <= set(claims)
    for spec, entry in claims.items():
        row = rows[entry.proof]
        assert (row["network"], row["broadcast_steps"]) == (spec, str(entry.steps))
        assert row["checked_by"]


def test_the_page_shows_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    bench = importlib.import_module("schedules")
    rows = bench.planned()
    assert len(rows) == len(bench.read_plan(bench.PLAN).tasks), "run the sweep bench/schedules.toml"
    tables = importlib.import_module("tables")
    page = (tables.DOCS / bench.PAGE).read_text(encoding="utf-8")
    assert tables.fill(page, {"table": bench.table_of(rows)}) == page, "run bench/schedules.py"


def test_the_store_is_what_the_table_improves(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    bench = importlib.import_module("schedules")
    rows = [row for row in bench.planned() if row["network"] in ("star:4", "scc:4")]
    store.save({**store.load(), **dict(bench.entries_from(rows))}, tmp_path / "same.json")
    assert (tmp_path / "same.json").read_bytes() == store.FILE.read_bytes()


def plan(folder: Path, network: str, algorithm: str, more: str = ""):
    path = folder / "plan.toml"
    path.write_text(
        f'steps = "schedule"\n[[design]]\nnetwork = "{network}"\nalgorithm = "{algorithm}"\n'
        f'ports = "one"\nsources = "one"\ncertificates = "{folder}/kept"\n{more}',
        encoding="utf-8",
    )
    return read_plan(path).tasks[0]


def test_a_job_finds_a_schedule_and_the_proof_that_it_is_best(checker: str, tmp_path) -> None:
    pytest.importorskip("pysat", reason="pip install '.[search]'")
    # Trees of shortest paths, which one port serves in a step more than the fewest.
    task = plan(tmp_path, "scc:4", "shortest")
    (row,) = measure_task(task, {})
    network = build_network("scc:4")
    assert (row["broadcast_steps"], row["least_steps"], row["floor"]) == ("10", "10", "8")
    assert (row["proven"], row["proven_by"]) == ("optimal", "certificate")
    assert row["checked_by"].startswith(checker)
    packed = (tmp_path / "kept" / row["certificate"]).read_bytes()
    assert hashlib.sha256(packed).hexdigest() == row["certificate_sha256"]
    assert row["cnf_sha256"] == broadcast_formula(network, 0, 9).digest()
    assert execute(task.point.build().program, 0).step.max() > 10
    assert play(network, 0, read_sends(tmp_path / "kept" / row["schedule"])) == 10


def test_too_little_time_leaves_a_lower_bound(checker: str, tmp_path: Path) -> None:
    pytest.importorskip("pysat", reason="pip install '.[search]'")
    (row,) = measure_task(plan(tmp_path, "scc:4", "shortest", "seconds = 0.01"), {})
    assert (row["broadcast_steps"], row["least_steps"]) == ("11", "9")
    assert (row["proven"], row["proven_by"], row["certificate"]) == (
        *("lower bound", "growth bound", ""),
    )
    assert checker


def test_what_is_no_one_port_schedule_is_refused(checker: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    for more, message in (("", "one port"), ('ports = "one"\nseconds = 0', "out of range")):
        path.write_text(
            f'steps = "schedule"\n[[design]]\nnetwork = "star:3"\nsources = "one"\n{more}', "utf-8"
        )
        (row,) = measure_task(read_plan(path).tasks[0], {})
        assert message in row["refused"]
    assert checker


def test_a_missing_solver_or_checker_says_nothing_of_a_network(tmp_path, monkeypatch) -> None:
    def missing() -> None:
        raise InputError("it is missing")

    task = plan(tmp_path, "star:3", "fewest-steps")
    for name in ("check_solver", "checkers"):
        with monkeypatch.context() as patch:
            patch.setattr(f"noc.research.sweep.proofs.{name}", missing)
            with pytest.raises(CheckError, match=r"^it is missing$"):
                measure_task(task, {})


def test_a_large_proof_is_not_kept(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("noc.research.sweep.proofs.LARGEST", 40)
    proof = tmp_path / "a.drat"
    proof.write_text("1 0\n0\n", encoding="ascii")
    large = keep_proof(proof, tmp_path / "kept", "a")
    assert (large.name, large.size > 40, len(large.sha256)) == ("", True, 64)
    assert not (tmp_path / "kept").exists()


def test_a_solver_that_fails_is_no_proof(tmp_path: Path) -> None:
    cnf = tmp_path / "a.cnf"
    cnf.write_text("p cnf 1 1\nx 0\n", encoding="ascii")
    with pytest.raises(CheckError, match=r"^the solver ended with status 1: "):
        proofs.solve(cnf, tmp_path, 60)


def test_tables_from_before_a_condition_are_read(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    path.write_text((ROOT / "docs" / "verified.csv").read_text("utf-8"), encoding="utf-8")
    assert read_table(path)[0]["seconds"] == ""


def test_the_checker_in_the_page_verifies(tmp_path: Path, monkeypatch, capsys) -> None:
    pytest.importorskip("dratify", reason="pip install '.[search]'")
    page = (ROOT / "docs" / "schedules.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"(?ms)^```python\n(.*?)^```$", page)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    assert main(["tree", "scc:4", "--cnf", "9", "scc-4-9.cnf"]) == 0
    exec(snippet, {})
    assert "VERIFIED" in capsys.readouterr().out
    # Of another formula it is no proof.
    assert main(["tree", "scc:4", "--cnf", "10", "scc-4-9.cnf"]) == 0
    exec(snippet, {})
    assert "VERIFIED" not in capsys.readouterr().out
