"""Parts of the papers' tables; misprints: none without a row, and none mended without its name."""

import ast
import inspect
import re
import tokenize
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest

import noc
from noc.cli import main
from noc.model.steps import LOST
from noc.networks import build_network
from noc.networks.cycles import LATERAL, LEFT, RIGHT
from noc.research.papers.faults import broadcast_blocks
from noc.research.papers.printed import MISPRINTS, REASONS, REFERENCES
from noc.research.papers.routes import algorithms
from noc.research.papers.tables import TABLES, Row
from noc.research.papers.tables.arrangement import bound, ceil_log2
from noc.research.papers.tables.nk_star.runs import COST, INSTANCES, MESSAGE, instance
from noc.research.papers.tables.scc import claims, graph, switching
from noc.research.papers.tables.uhc import costs, disjoint
from noc.trees import ALGORITHMS
from noc.trees.rings import halving_stages


@pytest.mark.parametrize(
    ("value", "power"), [("1/2", -1), ("2/3", 0), ("1", 0), ("3", 2), ("4", 2), ("33/8", 3)]
)
def test_ceil_log2(value: str, power: int) -> None:
    assert ceil_log2(Fraction(value)) == power


@pytest.mark.parametrize(("n", "k", "most"), [(7, 4, (4, 3)), (8, 1, (2, 5)), (2, 1, (2, 1))])
def test_bounds_of_lemma_4(n: int, k: int, most: tuple[int, int]) -> None:
    assert bound(n, k) == most


@pytest.mark.cases(2)
@pytest.mark.parametrize("size", INSTANCES)
@pytest.mark.parametrize("algorithm", ["greedy", "multiple"])
def test_no_run_beats_the_lower_bounds(size, algorithm) -> None:
    case, m = instance(*size), MESSAGE * COST.per_byte
    start, doubling = case.diameter * COST.start_up, case.doubling_steps() * COST.start_up
    others = case.network.nodes - 1
    assert case.best_time(algorithm, "all")[1] >= max(start, m / case.links)
    assert case.best_time(algorithm, "one")[1] >= max(start, doubling, m)
    all_port, one_port = (case.all_to_all(algorithm, ports) for ports in ("all", "one"))
    assert all_port.time(COST, MESSAGE) >= max(start, m * others / case.links)
    assert one_port.time(COST, MESSAGE) >= max(start, doubling, m * others)


@pytest.mark.parametrize(
    ("n", "steps"), [(2, (3, 3, 4)), (6, (8, 7, 10)), (8, (11, 10, 12)), (14, (19, 17, 22))]
)
def test_formulas_of_the_uhc(n: int, steps: tuple[int, int, int]) -> None:
    assert (costs.x1(n), costs.x2(n), costs.x3(n)) == steps


@pytest.mark.parametrize("n", [6, 8])
def test_a_lower_family_than_the_adst(n: int) -> None:
    family = disjoint.lower_family(n)
    assert (len(family.trees), family.congestion, family.height) == (n // 2, 1, n + 2)
    assert broadcast_blocks(family, n // 2 - 1, faulty_nodes=range(1, n // 2)).complete


@pytest.mark.parametrize(("spec", "diameter"), [("scc:4", 8), ("scc:5", 16), ("ccc:3", 6)])
def test_diameters_by_another_search(spec, diameter) -> None:
    assert nx.diameter(graph.undirected(build_network(spec))) == graph.diameter(spec) == diameter


@pytest.mark.parametrize("spec", ["star:6", "hypercube:7", "scc:6", "scc:7", "ccc:8"])
def test_one_search_finds_the_diameter(spec) -> None:
    assert build_network(spec).symmetric
    assert build_network(spec).diameter() == graph.diameter(spec)


@pytest.mark.parametrize("n", [3, 5, 7, 9])
def test_odd_diameters_have_a_closed_form(n) -> None:
    k = (n - 1) // 2
    assert graph.diameter(f"scc:{n}") == graph.farthest(n) == 2 * k * k + 4 * k


def test_the_reason_for_odd_diameters_needs_the_one_that_is_found(monkeypatch) -> None:
    monkeypatch.setattr(graph, "diameter", lambda _: 49)
    assert not graph.diameter_reason.__wrapped__(9).holds


def test_seven_from_scratch() -> None:
    """Where the tables differ: no node of SCC 7 is 31 links away, by a search of its own."""
    lengths = nx.single_source_shortest_path_length(graph.undirected(build_network("scc:7")), 0)
    assert max(lengths.values()) == 30
    label = build_network("scc:7").node("2:1567234")
    assert lengths[label] == 27


@pytest.mark.parametrize(("n", "q"), [(4, (3, 4, 1, 2)), (5, (1, 4, 5, 2, 3))])
def test_lemma_2_permutations(n, q) -> None:
    assert graph.lemma_2(n) == q


def test_mirrored_network_is_a_relabelled_one() -> None:
    assert switching.mirrored_stages(8)[0] == [(1, 2), (3, 4), (5, 6), (7, 8)]
    assert switching.mirrored_stages(8)[2] == halving_stages(8)[0]


def heard(n: int, *, joined: bool) -> dict[int, int]:
    """Section 9.1 node by node: the step in which each hears, by a search of its own."""
    net, step = build_network(f"scc:{n}"), {0: 0}
    now = 0

    def send(ports: tuple[int, ...], senders: list[int]) -> None:
        receivers = {int(net.neighbour[node, port]) for node in senders for port in ports}
        step.update({node: now for node in receivers if node not in step})

    for turn in range((n - 1) * (3 * (n - 1) // 2)):
        if turn and not joined:
            now += 1
            send((RIGHT, LEFT), list(step))
        now += 1
        in_turn = [node for node in step if net.label(node)[0] == str(2 + turn % (n - 1))]
        send((LATERAL, RIGHT) if joined else (LATERAL,), in_turn)
    return step


@pytest.mark.parametrize(("n", "last", "joined"), [(4, 14, 42), (5, 28, 329)])
def test_section_9_1(n, last, joined) -> None:
    both = claims.both_local_links(build_network(f"scc:{n}"))
    assert dict(enumerate(both.tolist())) == heard(n, joined=False)
    assert both.max() == last
    received = claims.joined_steps(build_network(f"scc:{n}"))
    informed = {node: step for node, step in enumerate(received.tolist()) if step != LOST}
    assert informed == heard(n, joined=True)
    assert len(informed) == joined


@pytest.mark.parametrize(("n", "sorted_ones"), [(4, 24), (6, 720), (5, 88)])
def test_switches_that_compare_sort(n, sorted_ones) -> None:
    assert switching.sorted_by_comparison(n, n - 1) == sorted_ones


ROOT = Path(noc.__file__).parent
NAMED = re.compile(r"\[((?:" + "|".join(REFERENCES) + r")-[\w-]+)\]")

# What code that follows a paper says where it departs from it; nothing else there is printed.
DEPARTS = re.compile(r"misprint|\bprinted\b|\bin print\b|\bcorrections?\b|\bmended\b|\bslips?\b")
FOLLOW = [ROOT / "trees", ROOT / "networks", ROOT / "papers" / "steps", ROOT / "papers" / "routes"]
# Elsewhere the one word decides, but for where misprints are defined and shown.
ANYWHERE = re.compile(r"misprint")
SHOWN = [
    ROOT / "research" / "papers" / "printed",
    ROOT / "research" / "papers" / "tables",
    ROOT / "research" / "commands" / "paper.py",
]


@cache
def rows() -> list[Row]:
    return [row for table in TABLES.values() for row in table.rows()]


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def comments(path: Path) -> Iterator[str]:
    """Every block of comments on lines that follow one another."""
    with path.open("rb") as file:
        tokens = [t for t in tokenize.tokenize(file.readline) if t.type == tokenize.COMMENT]
    ends = [i + 1 for i, (a, b) in enumerate(pairwise(tokens)) if b.start[0] > a.start[0] + 1]
    for first, last in pairwise([0, *ends, len(tokens)]):
        yield " ".join(token.string.lstrip("# ") for token in tokens[first:last])


def words(path: Path) -> list[str]:
    """What the file says in prose."""
    return [*docstrings(path), *comments(path)]


FILES = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if not any(path.is_relative_to(shown) for shown in SHOWN)
]


@pytest.mark.slow
def test_every_misprint_has_a_row_that_bears_it_out() -> None:
    shown = {row.why.misprint for row in rows() if row.why and row.why.misprint and row.accepted}
    assert shown == set(MISPRINTS)


def test_the_command_lists_them(cli) -> None:
    assert cli.facts("paper", "--misprints") == {"misprints": MISPRINTS}
    lines = cli.out("paper", "nk-star", "--misprints").splitlines()
    names = [line.partition(":")[0] for line in lines if line[0] > " "]
    assert names == [name for name in MISPRINTS if name.startswith("nk-star-")] != []
    for wrong in (["scc-5", "--misprints"], ["--misprints", "--list"], ["--list", "--differences"]):
        assert main(["paper", *wrong]) == 2


@pytest.mark.ci
def test_rows_are_plain_values_that_json_can_hold() -> None:
    plain = (int, float, str, type(None))
    assert {type(row.computed) for row in rows()} <= set(plain)
    assert {type(row.printed) for row in rows()} <= set(plain)
    assert {type(row.why.holds) for row in rows() if row.why} == {bool}


@pytest.mark.ci
def test_a_reason_that_speaks_of_a_misprint_names_it() -> None:
    reasons = [row.why for row in rows() if row.why]
    assert [why.text for why in reasons if "misprint" in why.text and not why.misprint] == []


def test_misprints_and_reasons_are_named_after_their_paper_and_used() -> None:
    names = {*MISPRINTS, *REASONS} - {"cut-off"}
    assert all(any(name.startswith(f"{paper}-") for paper in REFERENCES) for name in names)
    tables = "".join(path.read_text("utf-8") for path in (SHOWN[1]).rglob("*.py"))
    assert [name for name in REASONS if f'"{name}"' not in tables] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_prose_names_the_misprint(path: Path) -> None:
    follows = any(path.is_relative_to(folder) for folder in FOLLOW)
    for text in words(path):
        names = NAMED.findall(text)
        assert set(names) <= set(MISPRINTS)
        if (DEPARTS if follows else ANYWHERE).search(text):
            assert names, text


@pytest.mark.ci
def test_prose_is_read() -> None:
    """Were nothing found, everything would be allowed."""
    named = {name for path in FILES for text in words(path) for name in NAMED.findall(text)}
    assert len(named) > 20


def cited(paper: str) -> str:
    """How docstrings cite a paper: its authors, or without any its title, and the year."""
    reference = REFERENCES[paper]
    families = [author.split()[-1] for author in reference.authors]
    by = ", ".join(families[:-1]) + " and " + families[-1] if families else f'"{reference.title}"'
    return by if reference.year is None else f"{by} ({reference.year})"


@pytest.mark.parametrize(
    "algorithm", [a for a in ALGORITHMS.values() if a.paper], ids=lambda a: a.name
)
def test_algorithms_cite_their_paper(algorithm) -> None:
    prose = inspect.getdoc(inspect.getmodule(algorithm.build))
    assert f"After {cited(algorithm.paper)}." in " ".join(prose.split())


def test_routes_cite_their_paper() -> None:
    assert f"After {cited('scc')}." in inspect.getdoc(algorithms)


def test_the_readme_lists_the_papers() -> None:
    text = " ".join((ROOT.parent / "README.md").read_text(encoding="utf-8").split())
    for reference in REFERENCES.values():
        assert str(reference) in text
