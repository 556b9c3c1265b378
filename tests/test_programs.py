"""Programs: minimal, and giving the trees back hop by hop from every source."""

import numpy as np
import pytest
from helpers import count_subtrees
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import CheckError, InputError
from noc.networks import build_network
from noc.programs import build_automaton, build_program, compile_trees, execute
from noc.programs.config import RouterConfig
from noc.trees import ALGORITHMS, algorithms_on, build_tree, build_trees

SMALL = [
    "star:4",
    "incomplete-star:4,3",
    "nk-star:4,2",
    "nk-star:5,3",
    "arrangement:4,2",
    "scc:4",
    "ccc:3",
    "uhc:4",
    "uhc:5",
    "uhc:4,negative",
    "uhc:3,negative",
    "hypercube:4",
]

# Every algorithm on every small network, in every model that it has; but trees with common links
# have no program.
CASES = [
    pytest.param(
        *(spec, algorithm.name, ports),
        # Its trees are sought anew from each of 72 nodes.
        marks=[pytest.mark.slow] * ((spec, algorithm.name) == ("scc:4", "disjoint")),
    )
    for spec in SMALL
    for algorithm in algorithms_on(build_network(spec))
    for ports in algorithm.models
    if algorithm.name != "adst" or spec not in ("uhc:5", "uhc:3,negative")
    if algorithm.name != "multiple"
]


def members(spec: str, algorithm: str, ports, root: int) -> tuple:
    return build_trees(spec, algorithm, root=root, ports=ports).trees


def check_execution(spec: str, algorithm: str, ports) -> None:
    """The executed program equals the tree from every source, in parents, ports and turns."""
    net = build_network(spec)
    config = RouterConfig(sinks="stalling" if ports == "one" else "always-ready")
    built = build_program(build_automaton(net, algorithm, ports=ports), config, search=False)
    for source in range(net.nodes):
        for place, expected in enumerate(members(spec, algorithm, ports, source)):
            got = execute(built, source, place)
            assert np.array_equal(got.parent, expected.parent)
            assert np.array_equal(got.port, expected.port)
            # A schedule may make a node wait for a phase; the router never waits.
            assert (got.step <= expected.step).all()
            if ports == "one":
                assert turns(got.parent, got.step) == turns(expected.parent, expected.step)


def turns(parent, step) -> list[tuple[int, ...]]:
    order = np.lexsort((step, parent))
    return [tuple(order[parent[order] == node]) for node in range(parent.size)]


@pytest.mark.cases(5, ci=13)
@pytest.mark.parametrize(("spec", "algorithm", "ports"), CASES)
def test_executing_the_program_gives_the_trees_back(spec: str, algorithm: str, ports) -> None:
    check_execution(spec, algorithm, ports)


@pytest.mark.cases(8, ci=10)
@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("ports", ["all", "one"])
def test_states_are_the_distinct_subtrees(spec: str, ports) -> None:
    built = build_tree(build_network(spec), ports=ports)
    one_source = compile_trees(build_network(spec), lambda _: built, sources=[0])
    assert one_source.states == count_subtrees(built)


@pytest.mark.ci
@given(st.sampled_from(["uhc:5", "nk-star:5,3", "incomplete-star:5,3"]), st.data())
def test_chosen_sources_only(spec: str, data: st.DataObject) -> None:
    net = build_network(spec)
    sources = data.draw(st.lists(st.integers(0, net.nodes - 1), min_size=1, max_size=4))
    built = build_program(build_automaton(net, sources=sources), search=False)
    for source in sources:
        assert np.array_equal(execute(built, source).parent, build_tree(net, root=source).parent)


def test_fewer_sources_need_fewer_rows() -> None:
    net = build_network("incomplete-star:5,3")
    assert build_automaton(net, sources=[0]).total_rows < build_automaton(net).total_rows


def test_a_source_that_was_not_compiled_is_refused() -> None:
    built = build_program(build_automaton(build_network("uhc:5"), sources=[3]), search=False)
    with pytest.raises(InputError, match=r"^source 00000 is not among the sources"):
        execute(built, 0)


@pytest.mark.parametrize(
    ("spec", "column", "value"), [("star:4", "send_port", 1), ("scc:4", "send_code", None)]
)
def test_one_changed_rom_entry_is_noticed(spec: str, column: str, value: int | None) -> None:
    built = build_program(build_automaton(build_network(spec)), search=False)
    row = getattr(built, column)[built.own_row(0, 0)]
    row[0] = row[1] if value is None else value
    with pytest.raises(CheckError, match=rf"^{spec}: .*(received nothing|has it|meet)"):
        execute(built, 0)


def test_a_symmetric_network_is_compiled_from_one_tree() -> None:
    roots = []

    def tree_of(root: int):
        roots.append(root)
        return build_tree(build_network("scc:4"), root=root)

    built = compile_trees(build_network("scc:4"), tree_of)
    assert (roots, built.first_row.shape[0], len(built.sources)) == ([0], 1, 72)


def test_every_algorithm_is_tried_somewhere() -> None:
    assert {case.values[1] for case in CASES} == set(ALGORITHMS) - {"multiple"}
