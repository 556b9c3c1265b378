"""One-port broadcast in few steps: results, proofs, and a store that is never trusted."""

import dataclasses
import json
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_shortest import graphs

from noc.errors import InputError
from noc.networks import Network, build_network
from noc.research.schedules import annealing, matching, store
from noc.research.schedules.fewest_steps import quality, tree_of
from noc.research.schedules.formula import Send, broadcast_formula
from noc.research.sweep.proofs import play
from noc.trees import build_tree
from noc.trees.bounds import floor, growth_bound

# Literature and the papers' reports: 8, 12, 16 on stars 4, 5, 6; 12, 18, 28 on SCC 4, 5, 6.
STEPS = [
    # spec, floor, growth bound, steps
    ("star:4", 5, 5, 5),
    ("star:5", 7, 8, 8),
    ("star:6", 10, 10, 10),
    ("star:7", 13, 13, 13),
    ("star:8", 16, 16, 16),
    ("incomplete-star:5,3", 7, 7, 7),
    ("nk-star:5,2", 5, 5, 5),
    ("nk-star:5,3", 6, 7, 7),
    ("arrangement:5,2", 5, 5, 5),
    ("arrangement:6,3", 7, 7, 7),
    ("scc:3", 6, 6, 6),
    ("scc:4", 8, 9, 10),
    ("scc:5", 16, 16, 16),
    ("scc:6", 19, 20, 21),
    ("scc:7", 30, 30, 30),
    ("uhc:5", 6, 7, 7),
    ("uhc:6", 7, 8, 8),
    ("uhc:10", 11, 13, 13),
    ("hypercube:7", 7, 7, 7),
    ("ccc:4", 8, 9, 9),
    ("ccc:6", 13, 13, 13),
]

SMALL = ["star:3", "star:4", "scc:3", "ccc:3", "uhc:3", "uhc:4", "nk-star:4,2", "arrangement:4,2"]


def sends_within(net: Network, root: int, steps: int) -> list[Send] | None:
    """By a solver: the sends of a broadcast of so many steps at most, if there is one."""
    solvers = pytest.importorskip("pysat.solvers", reason="pip install '.[search]'")
    formula = broadcast_formula(net, root, steps)
    with solvers.Cadical195(bootstrap_with=formula.clauses()) as solver:
        return formula.schedule(set(solver.get_model())) if solver.solve() else None


@pytest.mark.parametrize(("spec", "low", "bound", "steps"), STEPS)
def test_best_known_steps_and_their_proof(spec: str, low: int, bound: int, steps: int) -> None:
    tree = build_tree(build_network(spec), "fewest-steps")
    measured = quality(tree)
    assert growth_bound(tree.network, 0) == bound
    assert (measured.floor, measured.bound, measured.steps) == (low, steps, steps)
    assert (measured.optimal, measured.gap) == (True, 0)


def test_the_steps_beside_those_of_the_papers_are_right() -> None:
    page = (Path(__file__).parent.parent / "docs" / "networks.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"(?m)^\| one-port steps .*\n(?:\|.*\n)+", page)
    head, _, _, theirs, ours = (
        [cell.strip() for cell in row.split("|")[2:-1]] for row in table.splitlines()
    )
    for name, their, our in zip(head, theirs, ours, strict=True):
        family, n = name.lower().split()
        algorithm = {"star": "balanced", "scc": "cyclic"}[family]
        for chosen, steps in ((algorithm, their), ("fewest-steps", our)):
            tree = build_tree(f"{family}:{n}", chosen, ports="one")
            assert tree.steps == int(steps), tree


def test_every_entry_of_the_store_holds() -> None:
    for spec, entry in store.load().items():
        net = build_network(spec)
        result = tree_of(net, 0, store.best_known(net, 0)[0])
        assert growth_bound(net, 0) <= result.steps == entry.steps


def test_the_store_stays_small() -> None:
    assert store.FILE.stat().st_size < 100_000


@pytest.mark.parametrize("spec", SMALL)
def test_search_without_the_store_is_optimal_on_small_networks(spec: str) -> None:
    net = build_network(spec)
    result = tree_of(net, 0, annealing.best_parents(net, 0, growth_bound(net, 0)))
    assert sends_within(net, 0, result.steps - 1) is None
    assert play(net, 0, sends_within(net, 0, result.steps)) == result.steps


@settings(max_examples=25)
@given(net=graphs(), data=st.data())
def test_any_graph_from_any_root(net: Network, data) -> None:
    root = data.draw(st.integers(0, net.nodes - 1))
    bound = growth_bound(net, root)
    result = tree_of(net, root, annealing.best_parents(net, root, bound, work=10_000)).steps
    assert floor(net, root) <= bound <= result
    # The bound is not too high: nothing is found below it.
    assert result == bound or sends_within(net, root, bound - 1) is None


@pytest.mark.parametrize("spec", ["star:5", "scc:4", "uhc:7", "arrangement:5,2"])
def test_search_is_reproducible(spec: str) -> None:
    net = build_network(spec)
    first, second = (annealing.best_parents(net, 1, 0, work=200_000) for _ in range(2))
    assert (first == second).all()


@settings(max_examples=30)
@given(
    spec=st.sampled_from(["star:5", "scc:4", "uhc:6", "arrangement:5,2", "incomplete-star:5,3"]),
    tall=st.integers(-1, 4),
    wide=st.integers(-2, 2),
    seed=st.integers(0, 99),
)
def test_every_round_is_a_maximum_matching(spec: str, tall: int, wide: int, seed: int) -> None:
    net = build_network(spec)
    space, unit = matching.new_workspace(net.nodes), matching.PRIORITY_RANGE
    priority = np.random.default_rng(seed).integers(0, unit, net.nodes)
    weighting = matching.Weighting(tall * unit, wide * unit, 0)
    assert matching.broadcast(matching.links_of(net), space, 0, priority, weighting, 0, 99) == 0
    for step in range(1, space.step.max() + 1):
        assert (space.step == step).sum() == largest_matching(net, space.step, step)


def largest_matching(net: Network, received: np.ndarray, step: int) -> int:
    graph = nx.Graph()
    senders = np.flatnonzero(received < step)
    for sender in senders.tolist():
        there = net.neighbour[sender][net.neighbour[sender] >= 0]
        graph.add_edges_from((sender, int(node)) for node in there if received[node] >= step)
    return len(nx.bipartite.maximum_matching(graph, set(senders.tolist()) & set(graph))) // 2


@pytest.mark.parametrize("dimension", [1, 4, 9])
def test_unison_doubles_on_hypercubes(dimension: int) -> None:
    net = build_network(f"hypercube:{dimension}")
    assert tree_of(net, 0, annealing.uniform_port_parents(net, 0, dimension)).steps == dimension


def test_roots_of_networks_without_symmetry() -> None:
    for root in (0, 3, 7):
        assert build_tree("incomplete-star:4,2", "fewest-steps", root=root).steps == 5


def damaged(spec: str, path: Path, **change: object) -> Path:
    entry = dataclasses.replace(store.load()[spec], **change)
    path.write_text(json.dumps({spec: dataclasses.asdict(entry)}))
    return path


DAMAGES = [
    {"links": "not base85 \x7f"},
    {"links": store.load()["star:6"].links[:-5]},
    {"links": store.load()["star:7"].links},
    {"steps": 9},
]


@pytest.mark.parametrize("change", DAMAGES)
def test_a_damaged_entry_is_noticed(change: dict[str, object], tmp_path: Path) -> None:
    path = damaged("star:6", tmp_path / "schedules.json", **change)
    with pytest.warns(RuntimeWarning, match="^the best known schedule of star:6 is damaged"):
        assert store.best_known(build_network("star:6"), 0, path) is None


def test_an_entry_of_another_numbering_and_a_missing_store_are_left_aside(tmp_path: Path) -> None:
    path = damaged("star:5", tmp_path / "schedules.json", fingerprint="0" * 32)
    for file in (path, tmp_path / "none.json"):
        assert store.best_known(build_network("star:5"), 0, file) is None


@pytest.mark.parametrize(
    ("spec", "how"),
    [("scc:4", "certificate docs/certificates/scc-4-9.drat.xz"), ("star:6", "meets the floor")],
)
def test_optimality_says_what_shows_it(spec: str, how: str) -> None:
    best = build_tree(build_network(spec), "fewest-steps", ports="one")
    assert quality(best).how == how
    slower = quality(dataclasses.replace(best, step=2 * best.step).check())
    assert (slower.optimal, slower.how) == (False, f"a broadcast of {best.steps} steps is known")


def test_what_is_open_is_said() -> None:
    best = build_tree(build_network("nk-star:4,2"), "fewest-steps", root=5, ports="one")
    measured = quality(dataclasses.replace(best, step=2 * best.step).check())
    assert (measured.gap, measured.how) == (4, "between 4 and 8 steps it is open")


def test_all_port_trees_have_no_quality() -> None:
    with pytest.raises(InputError, match=r"^quality: the tree is all-port"):
        quality(build_tree(build_network("star:4"), "shortest"))
