"""The program of the ordered fabric: in-trees, even trees, merges, latencies and bounds."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from helpers import distances
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.networks import Network, build_network
from noc.programs.ordered import OrderedProgram, central_node, compile_ordered
from noc.programs.ordered_config import OrderedConfig
from noc.trees import build_tree
from noc.trees.even import in_tree
from noc.trees.tree import NO_PARENT

RETURNED = OrderedConfig(source_numbers=False, own_words=True)

SPECS = [
    *("star:4", "scc:3", "uhc:3", "uhc:4", "hypercube:3", "incomplete-star:4,3", "nk-star:4,2"),
    *("mesh:3,4", "torus:3,3", "ring:5", "tree:3,2", "complete:5", "file:tests/data/mixed.graphml"),
]


def climb(program: OrderedProgram, node: int) -> list[int]:
    """The nodes on the way to the root."""
    way = [node]
    while way[-1] != program.root:
        way.append(int(program.up_parent[way[-1]]))
        assert len(way) <= program.network.nodes
    return way


@pytest.mark.parametrize("spec", SPECS)
def test_words_climb_by_links_of_the_network(spec: str) -> None:
    program = compile_ordered(build_network(spec))
    net = program.network
    for node in range(net.nodes):
        for below, above in pairwise(climb(program, node)):
            assert net.neighbour[below, program.up_port[below]] == above


@pytest.mark.parametrize("spec", SPECS)
def test_both_trees_have_the_least_height(spec: str) -> None:
    program = compile_ordered(build_network(spec))
    net, root = program.network, program.root
    assert program.down.height == max(distances(net, root))
    assert max(len(climb(program, node)) - 1 for node in range(net.nodes)) == max(
        distances(net.reversed(), root)
    )


@pytest.mark.parametrize("spec", ["star:4", "scc:3", "mesh:3,4", "hypercube:3"])
def test_where_links_lead_back_words_climb_by_those_by_which_they_come_down(spec: str) -> None:
    net = build_network(spec)
    down = build_tree(net, "even", root=central_node(net))
    parent, port = in_tree(down)
    child = np.flatnonzero(parent != NO_PARENT)
    assert (parent == down.parent).all()
    assert (port[child] == net.arrival[down.parent[child], down.port[child]]).all()


@pytest.mark.parametrize("spec", SPECS)
def test_reversed_twice_is_the_network(spec: str) -> None:
    net = build_network(spec)
    back = net.reversed()
    assert back.arcs == net.arcs
    again = back.reversed()
    assert (again.neighbour == net.neighbour).all()
    assert (again.arrival == net.arrival).all()
    for node in range(0, net.nodes, 5):
        hops = distances(back, node)
        assert hops == [distances(net, other)[node] for other in range(net.nodes)]


@pytest.mark.parametrize("spec", ["mesh:3,5", "tree:2,3", "ring:6", "incomplete-star:4,3"])
def test_the_root_is_a_center(spec: str) -> None:
    net = build_network(spec)
    reach = [max(distances(net, node)) for node in range(net.nodes)]
    assert reach[central_node(net)] == min(reach)


@pytest.mark.parametrize(
    ("spec", "most"), [("star:4", 1.5), ("star:5", 1.38), ("star:6", 1.27), ("uhc:8", 1.3)]
)
def test_even_trees_are_as_even_as_the_papers(spec: str, most: float) -> None:
    built = build_tree(build_network(spec), "even")
    assert round(built.balance, 2) <= most


def shares(program: OrderedProgram) -> dict[int, Fraction]:
    """Which share of the root each source has when all always send, by the weights alone."""
    share: dict[int, Fraction] = {}

    def divide(node: int, part: Fraction) -> None:
        plan = program.plan_of(node)
        streams = {plan.inputs + len(plan.merges) - 1: part} if plan.merges else {0: part}
        for place in reversed(range(len(plan.merges))):
            merge = plan.merges[place]
            whole = streams.pop(plan.inputs + place)
            for stream, weight in zip((merge.first, merge.second), merge.weights, strict=True):
                streams[stream] = whole * weight / sum(merge.weights)
        for stream, part_of_it in streams.items():
            if plan.sends and stream == 0:
                share[node] = part_of_it
            elif plan.up:
                divide(program.up_children[node][stream - plan.sends], part_of_it)

    divide(program.root, Fraction(1))
    return share


@pytest.mark.parametrize("spec", SPECS)
def test_every_source_has_the_same_share(spec: str) -> None:
    program = compile_ordered(build_network(spec))
    assert shares(program) == dict.fromkeys(program.sources, Fraction(1, len(program.sources)))


@settings(max_examples=30)
@given(st.data())
def test_chosen_sources_have_the_same_share_and_no_merge_more(data) -> None:
    net = build_network(data.draw(st.sampled_from(SPECS)))
    nodes = st.sets(st.integers(0, net.nodes - 1), min_size=1)
    sources, root = data.draw(nodes), data.draw(st.integers(0, net.nodes - 1))
    program = compile_ordered(net, sources=list(sources), root=root)
    assert shares(program) == dict.fromkeys(sources, Fraction(1, len(sources)))
    merges = sum(len(program.plan_of(node).merges) for node in range(net.nodes))
    assert merges == len(sources) - 1


def naive_up(program: OrderedProgram, source: int) -> int:
    """Buffers on the way up, counted along it."""
    count, below = 0, NO_PARENT
    for node in climb(program, source):
        plan = program.plan_of(node)
        stream = 0 if below == NO_PARENT else program.up_children[node].index(below) + plan.sends
        for place, merge in enumerate(plan.merges):
            if stream in (merge.first, merge.second):
                count, stream = count + 1, plan.inputs + place
        count += plan.stored + program.up_registers[node]
        below = node
    return count


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("registers", [0, 3])
def test_latencies_are_counts_of_buffers(spec: str, registers: int) -> None:
    form = OrderedConfig(link_registers=registers, queue=registers)
    program = compile_ordered(build_network(spec), config=form)
    assert [naive_up(program, node) for node in program.sources] == program.up.tolist()
    hops = np.array(distances(program.network, program.root))
    assert (program.down_cycles == hops * (1 + registers) + bool(registers)).all()


def test_registers_of_single_links() -> None:
    net = build_network("ring:4")
    form = OrderedConfig(1, {(1, 0): 3, (0, 1): 0})
    program = compile_ordered(net, root=0, config=form)
    assert (program.up_registers[1], program.down_registers[1]) == (3, 0)
    assert (program.up_registers[3], program.down_registers[3]) == (1, 1)


def test_light_streams_are_merged_first() -> None:
    program = compile_ordered(build_network("star:5"))
    plan = program.plan_of(program.root)
    assert [merge.slots for merge in plan.merges] == [2, 1, 1, 2]
    assert all(light <= heavy for light, heavy in (merge.weights for merge in plan.merges))


def test_what_carries_nothing_is_not_there() -> None:
    """Of two sources only their ways up, and one merge."""
    program = compile_ordered(build_network("mesh:1,6"), sources=[4, 5], root=0)
    ups = [node for node in range(6) if program.plan_of(node).climbs]
    assert ups == [1, 2, 3, 4, 5]
    assert [len(program.plan_of(node).merges) for node in range(6)] == [0, 0, 0, 0, 1, 0]
    assert [program.plan_of(node).stored for node in range(6)] == [True] * 4 + [False] * 2


def test_any_algorithm_with_one_tree_will_do() -> None:
    for spec, algorithm in (("star:4", "balanced"), ("uhc:4", "bt2"), ("scc:3", "fewest-steps")):
        program = compile_ordered(build_network(spec), algorithm)
        assert program.algorithm == algorithm


def test_no_numbers_no_bits() -> None:
    def bits(net: Network, form: OrderedConfig) -> int:
        return compile_ordered(net, config=form).source_bits

    assert [bits(build_network("ring:5"), form) for form in (OrderedConfig(), RETURNED)] == [3, 0]


def test_a_dropped_word_does_not_come_to_its_own_node() -> None:
    """The node opposite to the root of two would be the last."""
    program = compile_ordered(build_network("ring:2"))
    assert [program.cycles_to_all(node) for node in range(2)] == [2, 1]
