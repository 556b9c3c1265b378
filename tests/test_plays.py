"""Plays of the step model: words alone, in slices, all to all, scattered, and beside faults."""

from itertools import combinations, permutations
from math import factorial, sqrt

import numpy as np
import pytest
from helpers import children
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.errors import CheckError, InputError
from noc.model.steps import LOST, Word, run
from noc.networks import Network, build_network, from_edges
from noc.research.papers.all_to_all import all_to_all, check_turns, packets_in_turns
from noc.research.papers.cost import LinearCost
from noc.research.papers.faults import blocks_on, broadcast_blocks
from noc.research.papers.scatter import (
    Scatter,
    quickest_tree,
    scatter,
)
from noc.research.papers.slices import best_slicing, pipelined
from noc.research.papers.tables.nk_star.runs import diameter, dimensions
from noc.trees import Tree, TreeFamily, build_tree, build_trees
from noc.trees.bounds import all_to_all_bound, scatter_bound
from noc.trees.nk_star import multiple
from noc.trees.tree import NO_PARENT, scheduled

# Words in the step model.


NETWORKS = ["star:4", "scc:3", "uhc:5", "hypercube:3", "nk-star:4,2"]


def naive(net, words) -> list[dict[int, int]]:
    """The all-port model with lists: each link takes the word that has waited longest."""
    received = [{word.tree.root: word.release} for word in words]
    queues = [children(word.tree) for word in words]
    step = 0
    while any(len(known) < net.nodes for known in received):
        step += 1
        busy: set[tuple[int, int]] = set()
        waiting = [
            (known[node], int(words[index].tree.step[child]), index, node, port, child)
            for index, known in enumerate(received)
            for node, sends in queues[index].items()
            for port, child in sends
            if node in known and known[node] < step and child not in known
        ]
        for _, _, index, node, port, child in sorted(waiting):
            if (node, port) not in busy:
                busy.add((node, port))
                received[index][child] = step
    return received


@pytest.mark.ci
@given(st.sampled_from(NETWORKS), st.data())
def test_all_port_equals_the_naive_model(spec: str, data) -> None:
    net = build_network(spec)
    draw = data.draw(
        st.lists(
            st.tuples(st.integers(0, net.nodes - 1), st.integers(0, 3)), min_size=1, max_size=5
        )
    )
    words = [Word(build_tree(net, root=root), release) for root, release in draw]
    expected = naive(net, words)
    got = run(net, words, "all").received
    assert [dict(enumerate(row)) for row in got.tolist()] == [
        dict(sorted(known.items())) for known in expected
    ]


@given(st.sampled_from(NETWORKS), st.integers(1, 6), st.booleans())
def test_one_port_sends_and_receives_once_a_step(spec: str, count: int, combine: bool) -> None:
    net = build_network(spec)
    words = [Word(build_tree(net, root=root % net.nodes, ports="one")) for root in range(count)]
    got = run(net, words, "one", combine=combine)
    assert (got.received != LOST).all()
    sends, receipts = set(), set()
    for index, word in enumerate(words):
        for node in range(net.nodes):
            if node != word.tree.root:
                step = int(got.received[index, node])
                sends.add((int(word.tree.parent[node]), step, -1 if combine else index, node))
                receipts.add((node, step, -1 if combine else index))
    if not combine:
        assert len({(node, step) for node, step, _, _ in sends}) == len(sends)
        assert len({(node, step) for node, step, _ in receipts}) == len(receipts)


@given(st.sampled_from(NETWORKS), st.sampled_from(["all", "one"]))
def test_a_single_word_takes_the_steps_of_its_tree(spec: str, ports) -> None:
    net = build_network(spec)
    built = build_tree(net, ports=ports)
    assert run(net, [Word(built)], ports).steps == built.steps


def test_pipelined_words_follow_each_other() -> None:
    net = build_network("star:4")
    built = build_tree(net)
    got = run(net, [Word(built, release) for release in range(10)], "all")
    assert got.steps == built.height + 9
    assert np.array_equal(
        got.received - got.received[:1], np.repeat(np.arange(10), 24).reshape(10, 24)
    )


def test_loads_count_words_and_packets_count_steps() -> None:
    net = build_network("hypercube:3")
    words = [Word(build_tree(net)) for _ in range(4)]
    apart, together = (run(net, words, "all", combine=combine) for combine in (False, True))
    assert apart.load.sum() == together.load.sum() == 4 * 7
    assert (apart.packets.sum(), together.packets.sum()) == (28, 7)


@pytest.mark.parametrize("fault", [{"faulty_nodes": [6]}, {"faulty_links": [(0, 0)]}], ids=str)
def test_a_fault_cuts_off_what_is_behind_it(fault) -> None:
    net = build_network("star:4")
    built = build_tree(net)
    assert (net.label(6), built.parent[6], built.port[6]) == ("2134", 0, 0)
    got = run(net, [Word(built)], "all", **fault)
    assert (got.received == LOST).sum() == built.branch_sizes[0]


def test_a_foreign_tree_is_refused() -> None:
    with pytest.raises(CheckError, match="simulated network"):
        run(build_network("star:4"), [Word(build_tree(build_network("star:4")))], "all")


# The linear cost model: closed forms against brute force.


heights = st.integers(1, 40)
lengths = st.integers(1, 3000)
costs = st.builds(LinearCost, st.floats(0.01, 1000), st.floats(0.01, 100))


@given(costs, heights, lengths)
def test_least_time_is_the_closed_form_where_cutting_pays(cost, height, length) -> None:
    closed = (sqrt((height - 1) * cost.start_up) + sqrt(length * cost.per_byte)) ** 2
    if cost.best_packet_size(height, length) < length:
        assert cost.least_time(height, length) == pytest.approx(closed)
    else:
        assert cost.least_time(height, length) == height * cost.hop_time(length)


@given(costs, heights, lengths, st.floats(0.001, 1))
def test_no_packet_size_beats_the_best(cost, height, length, part) -> None:
    other = cost.pipelined_time(height, length, length * part)
    assert cost.least_time(height, length) <= other * (1 + 1e-12)


@given(costs, heights, lengths)
def test_best_segments_by_search(cost, height, length) -> None:
    best = min(cost.segmented_time(height, length, p) for p in range(1, 2 * length + 2))
    result = cost.segmented_time(height, length, cost.best_segments(height, length))
    ideal = sqrt((height - 1) * length * cost.per_byte / cost.start_up)
    assert result <= best * (1 + 1e-12) or ideal > 2 * length


@pytest.mark.parametrize("constants", [(0, 1), (1, 0), (-1, 1), (1, float("nan"))])
def test_constants_must_be_positive(constants) -> None:
    with pytest.raises(InputError, match="must be more than 0"):
        LinearCost(*constants)


# Sliced messages.


SLICED = ["star:4", "scc:3", "uhc:4", "hypercube:3", "nk-star:4,2", "incomplete-star:4,2"]


@given(st.sampled_from(SLICED), st.integers(1, 9))
@settings(max_examples=30)
def test_one_tree_with_all_ports_takes_height_plus_segments(spec, segments) -> None:
    chosen = build_tree(build_network(spec))
    outcome = pipelined(chosen, segments, "all")
    assert outcome.steps == chosen.height + segments - 1
    assert int(outcome.load.max()) == segments


@given(st.sampled_from(SLICED), st.integers(1, 6))
@settings(max_examples=30)
def test_one_port_waits_for_the_busiest_sender(spec, segments) -> None:
    chosen = build_tree(build_network(spec), ports="one")
    children = int(np.bincount(chosen.parent[chosen.parent >= 0]).max())
    steps = pipelined(chosen, segments, "one").steps
    assert max(segments * children, chosen.steps) <= steps <= segments * chosen.steps


@pytest.mark.parametrize("ports", ["all", "one"])
def test_segments_take_the_trees_in_turn(ports) -> None:
    family = multiple(build_network("nk-star:4,3"), 0, ports)
    outcome = pipelined(family, 7, ports)
    alone = [pipelined(member, 1, ports).load for member in family.trees]
    expected = sum(alone[segment % 3] for segment in range(7))
    assert (outcome.load == expected).all()
    assert (outcome.received >= 0).all()


@pytest.mark.parametrize(("rounds", "steps"), [(1, 8), (2, 10), (4, 14), (8, 22)])
def test_shared_links_halve_the_rate(rounds, steps) -> None:
    family = multiple(build_network("nk-star:4,3"), 0, "all")
    assert family.congestion == 2
    assert pipelined(family, 3 * rounds, "all").steps == steps


def test_no_segments() -> None:
    with pytest.raises(InputError, match="segments must be at least 1, not 0"):
        pipelined(build_tree(build_network("star:3")), 0, "all")


@given(st.integers(2, 20), st.integers(1, 2000))
def test_best_slicing_is_the_formula_for_a_plain_pipeline(height, length) -> None:
    cost = LinearCost(20.0, 1.0)
    most = cost.best_segments(height, length) + 3
    segments, time = best_slicing(lambda p: height - 1 + p, range(1, most), cost, length)
    assert time == pytest.approx(cost.segmented_time(height, length, segments))
    assert time == pytest.approx(
        cost.segmented_time(height, length, cost.best_segments(height, length))
    )


def test_turns_of_a_pipeline() -> None:
    net = build_network("nk-star:4,2")
    chosen = build_tree(net, "greedy")
    outcome = pipelined(chosen, 1, "all")
    packets = packets_in_turns([chosen], outcome, dimensions(net))
    assert outcome.steps <= packets.size <= 3 * outcome.steps
    assert packets.max() == 1


@pytest.mark.parametrize(
    ("spec", "turn", "message"), [("nk-star:4,2", 1, "receives"), ("star:3", 0, "sends")]
)
def test_turns_in_which_a_port_is_used_twice_are_refused(spec, turn, message) -> None:
    net = build_network(spec)
    turns = turn * np.broadcast_to(np.arange(net.ports), net.neighbour.shape)
    with pytest.raises(CheckError, match=f"a node {message} twice in one turn"):
        check_turns(net, turns)


# All to all.


SPECS = ["star:3", "star:4", "scc:3", "hypercube:3", "nk-star:4,2", "nk-star:4,3"]


def sources_of(spec: str, algorithm: str = "shortest", ports: str = "all"):
    net = build_network(spec)
    families = [build_trees(net, algorithm, root=root, ports=ports) for root in range(net.nodes)]
    return net, [family.trees[0] if len(family.trees) == 1 else family for family in families]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("combine", [True, False])
@pytest.mark.parametrize("ports", ["all", "one"])
def test_everybody_hears_everybody(spec, ports, combine) -> None:
    net, sources = sources_of(spec, ports=ports)
    result = all_to_all(sources, ports, combine=combine)
    assert (result.outcome.received >= 0).all()
    assert int(result.outcome.load.sum()) == net.nodes * (net.nodes - 1)
    busiest = result.outcome.load if ports == "all" else result.outcome.load.sum(axis=1)
    assert result.messages >= int(busiest.max())
    assert combine or result.steps == result.messages


@pytest.mark.parametrize("spec", [*SPECS, "complete:5", "uhc:3", "mesh:2,4"])
@pytest.mark.parametrize("combine", [True, False])
@pytest.mark.parametrize("ports", ["all", "one"])
def test_no_run_takes_fewer_steps_than_the_bound(spec, ports, combine) -> None:
    net = build_network(spec)
    bound = all_to_all_bound(net, ports, combine=combine)
    steps = [
        all_to_all(sources_of(spec, algorithm, ports)[1], ports, combine=combine).steps
        for algorithm in ("shortest", "even")
    ]
    assert bound <= min(steps)
    if ports == "all" and (combine or spec == "complete:5"):
        assert bound == min(steps)
    # By hand: a node takes a word a link and step; with one port it sends one a step.
    assert combine or bound >= (net.nodes - 1) / (net.degree if ports == "all" else 1)


def test_bounds_count_segments_and_links() -> None:
    """Segments are more words; the end of a line takes words from one link, the last from afar."""
    net = build_network("nk-star:4,2")
    assert all_to_all_bound(net, "all", segments=3) == 11
    assert all_to_all_bound(build_network("mesh:2,4"), "all") == 4
    # Seven words come over the one link of an end of a line, and the first of them in step 1.
    assert all_to_all_bound(build_network("mesh:8"), "all") == 7
    assert all_to_all_bound(build_network("ring:8"), "one", combine=True) == 4


@pytest.mark.parametrize("spec", SPECS)
def test_combined_packets_with_all_ports_take_the_height(spec) -> None:
    net, sources = sources_of(spec)
    assert all_to_all(sources, "all", combine=True).steps == net.diameter()


@pytest.mark.parametrize("spec", SPECS)
def test_packets_of_all_links_are_what_was_carried(spec) -> None:
    net, sources = sources_of(spec)
    result = all_to_all(sources, "all", combine=True)
    by_hand = np.zeros((result.steps + 1, net.nodes, net.ports), dtype=int)
    for source, received in zip(sources, result.outcome.received, strict=True):
        for node in range(net.nodes):
            if node != source.root:
                by_hand[received[node], source.parent[node], source.port[node]] += 1
    assert result.largest_packets.tolist() == by_hand[1:].max(axis=(1, 2)).tolist()


@pytest.mark.parametrize(("n", "k"), [(3, 2), (4, 2), (4, 3), (5, 2), (5, 3)])
def test_one_tree_in_turns_reaches_the_bound(n, k) -> None:
    net, sources = sources_of(f"nk-star:{n},{k}", "greedy")
    result = all_to_all(sources, "one", combine=True, turns=dimensions(net))
    assert result.messages == net.nodes - 1
    assert result.steps <= (n - 1) * diameter(n, k)


FAMILIES = [("nk-star:4,2", 8.0, 6), ("nk-star:4,3", 11.0, 8), ("nk-star:5,2", 13.25, 6)]


@pytest.mark.parametrize(("spec", "messages", "steps"), FAMILIES)
def test_families_carry_segments(spec, messages, steps) -> None:
    _, sources = sources_of(spec, "multiple")
    result = all_to_all(sources, "all", combine=True)
    assert (result.messages, result.steps) == (messages, steps)
    assert result.segments == len(sources[0].trees)


def test_time_adds_start_ups_and_bytes() -> None:
    _, sources = sources_of("nk-star:4,2", "greedy")
    result = all_to_all(sources, "all", combine=True)
    assert (result.steps, result.messages) == (3, 5)
    assert result.time(LinearCost(10, 2), 100) == 3 * 10 + 5 * 100 * 2


def test_turns_are_for_one_port() -> None:
    net, sources = sources_of("nk-star:4,2", "greedy")
    with pytest.raises(CheckError, match="one-port use only"):
        all_to_all(sources, "all", turns=dimensions(net))


# Scatter, against the step model of single words and against every order.


SCATTERED = (
    "star:4",
    "incomplete-star:5,2",
    "incomplete-star:4,3",
    "nk-star:5,2",
    "arrangement:4,2",
    "scc:4",
    "uhc:5",
    "uhc:4",
    "hypercube:5",
    "ccc:3",
)
ORDERS = ("furthest-first", "nearest-first", "numbered")


def single(net: Network, name: str, root: int = 0, ports: str = "all") -> Tree:
    return build_tree(net, name, root=root, ports=ports)


def random_tree(net: Network, root: int, ports: str, seed: int) -> Tree:
    """A spanning tree grown by adding random links."""
    rng = np.random.default_rng(seed)
    parent = np.full(net.nodes, NO_PARENT, dtype=np.int32)
    port, inside = parent.copy(), [root]
    while len(inside) < net.nodes:
        sender, out = int(rng.choice(inside)), int(rng.integers(net.ports))
        there = int(net.neighbour[sender, out])
        if there >= 0 and there != root and parent[there] == NO_PARENT:
            parent[there], port[there] = sender, out
            inside.append(there)
    return scheduled(net, "random", ports, root, parent, port)


def path_to(built: Tree, node: int) -> Tree:
    """The way of one word down the tree."""
    parent = np.full(built.parent.size, NO_PARENT, dtype=np.int32)
    port = parent.copy()
    while node != built.root:
        parent[node], port[node] = built.parent[node], built.port[node]
        node = int(parent[node])
    return Tree(built.network, "path", built.ports, built.root, parent, port, built.depth)


def order_of(sent: Scatter) -> list[int]:
    """The receivers in the order in which the root sends, by the steps that were computed."""
    node = np.flatnonzero(np.arange(sent.received.size) != sent.tree.root)
    left_root = (sent.received - sent.tree.depth)[node]
    return node[np.argsort(left_root, kind="stable")].tolist()


def finish(depths: tuple[int, ...]) -> int:
    """The last arrival of words that leave one a step and have this far to go."""
    return max(turn + depth for turn, depth in enumerate(depths))


@given(
    st.sampled_from(SCATTERED),
    st.sampled_from(("all", "one")),
    st.sampled_from(ORDERS),
    st.integers(0, 10**6),
)
def test_the_step_model_gives_the_same(spec: str, ports: str, order: str, seed: int) -> None:
    net = build_network(spec)
    built = random_tree(net, seed % net.nodes, ports, seed)
    sent = scatter(built, order)
    receivers = order_of(sent)
    outcome = run(net, [Word(path_to(built, node)) for node in receivers], ports)
    assert outcome.received[np.arange(len(receivers)), receivers].tolist() == [
        sent.received[node] for node in receivers
    ]
    assert outcome.steps == sent.steps
    assert sent.load == {p: outcome.load[built.root, p] for p in sent.load}
    assert sent.hops == outcome.load.sum()


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_no_order_of_one_link_beats_furthest_first(depths: list[int]) -> None:
    best = min(finish(order) for order in permutations(depths))
    assert finish(tuple(sorted(depths, reverse=True))) == best


@given(st.sampled_from(SCATTERED), st.sampled_from(("all", "one")), st.integers(0, 10**6))
@settings(max_examples=30)
def test_furthest_first_is_fastest_and_above_the_bound(spec: str, ports: str, seed: int) -> None:
    net = build_network(spec)
    root = seed % net.nodes
    steps = [scatter(random_tree(net, root, ports, seed), order).steps for order in ORDERS]
    least = 1 if ports == "one" else int((net.neighbour[root] >= 0).sum())
    assert scatter_bound(net, root, ports) <= steps[0] <= min(steps)
    assert scatter_bound(net, root, ports) >= max(
        -(-(net.nodes - 1) // least), net.eccentricity(root)
    )


@pytest.mark.parametrize("n", range(3, 8))
def test_the_balanced_tree_needs_as_many_steps_as_its_largest_branch_has_nodes(n: int) -> None:
    sent = scatter(single(build_network(f"star:{n}"), "balanced"))
    assert sent.steps == max(sent.load.values()) == sum(factorial(i) for i in range(1, n))
    assert sent.lower_bound == -(-(factorial(n) - 1) // (n - 1))


@pytest.mark.parametrize("n", range(3, 8))
def test_one_port_on_a_star_meets_the_bound(n: int) -> None:
    sent = scatter(single(build_network(f"star:{n}"), "balanced", ports="one"))
    assert sent.steps == sent.lower_bound == factorial(n) - 1


def test_star_3_by_hand() -> None:
    """Port 2 of 123 leads to 213, 312, 132; port 3 to 321, 231."""
    net = build_network("star:3")
    sent = scatter(single(net, "balanced"))
    assert sent.load == {0: 3, 1: 2}
    received = {net.label(node): int(sent.received[node]) for node in range(6)}
    assert received == {"123": 0, "132": 3, "312": 3, "213": 3, "231": 2, "321": 2}


def test_near_words_first_cost_steps() -> None:
    built = single(build_network("star:5"), "balanced")
    assert [scatter(built, order).steps for order in ORDERS] == [33, 38, 38]


def test_the_bound_counts_the_way_of_the_far_words() -> None:
    """Node 0 has a leaf and a path of three nodes, with five leaves at its far end.

    Nine words on two ports take 5 steps, but five of them have 4 hops to go: 3 + 3.
    """
    links = [(0, 1), (0, 2), (2, 3), (3, 4), *((4, leaf) for leaf in range(5, 10))]
    broom = from_edges(links, nodes=range(10))
    assert (scatter_bound(broom, 0, "all"), scatter_bound(broom, 0, "one")) == (6, 9)


def test_an_unknown_order_is_refused() -> None:
    built = single(build_network("star:3"), "shortest")
    with pytest.raises(InputError, match=r"^order 'random' is unknown; allowed: furthest-first"):
        scatter(built, "random")  # type: ignore[arg-type]


@pytest.mark.parametrize("ports", ["all", "one"])
@pytest.mark.parametrize("spec", ["star:4", "star:5", "incomplete-star:4,3", "uhc:4", "mesh:3,3"])
def test_the_quickest_tree_is_no_slower_than_others(spec: str, ports) -> None:
    net = build_network(spec)
    steps = scatter(quickest_tree(net, 1, ports)).steps
    names = ("shortest", "even", "balanced") if "star" in spec else ("shortest", "even")
    assert steps == min(scatter(single(net, name, 1, ports)).steps for name in names)


def test_the_command_takes_the_quickest_tree_and_tells_of_it(cli) -> None:
    shown = cli.facts("steps scatter star:5")
    assert (shown["steps"], shown["algorithm"]) == (32, "even")
    status, _, told = cli("steps scatter star:5 --algorithm shortest")
    assert (status, told) == (0, "hint: --algorithm even takes 32 steps instead of 60\n")
    status, _, told = cli("steps scatter hypercube:3 --algorithm shortest --ports one")
    assert (status, told) == (0, "")


# Blocks on arc-disjoint trees: any n/2-1 faults are survived, one more need not be.


def family(spec: str, root: int = 0) -> TreeFamily:
    return build_trees(spec, "adst", root=root)


def all_links(built: TreeFamily) -> list[tuple[int, int]]:
    return [(v, p) for v in range(built.network.nodes) for p in range(built.network.ports)]


def test_every_block_is_on_as_many_trees_as_each_tree_has_blocks() -> None:
    assert [blocks_on(j, 4, 1) for j in range(4)] == [[0, 1], [1, 2], [2, 3], [3, 0]]
    assert [sorted(blocks_on(j, 3, 2)) for j in range(3)] == [[0, 1, 2]] * 3


@pytest.mark.parametrize("polarity", ["", ",negative"])
def test_uhc_4_survives_every_single_fault(polarity: str) -> None:
    built = family(f"uhc:4{polarity}")
    for link in all_links(built):
        assert broadcast_blocks(built, 1, faulty_links=[link]).complete
    for node in range(1, 16):
        assert broadcast_blocks(built, 1, faulty_nodes=[node]).complete


@pytest.mark.ci
@given(st.sampled_from(["uhc:6", "uhc:8", "uhc:10", "uhc:6,negative"]), st.data())
def test_survives_as_many_faults_as_it_is_ready_for(spec: str, data) -> None:
    root = data.draw(st.integers(0, build_network(spec).nodes - 1))
    built = family(spec, root)
    faults = data.draw(st.integers(0, len(built.trees) - 1))
    healthy = [node for node in range(built.network.nodes) if node != root]
    either = st.one_of(st.sampled_from(healthy), st.sampled_from(all_links(built)))
    faulty = data.draw(st.lists(either, max_size=faults, unique=True))
    nodes = [fault for fault in faulty if isinstance(fault, int)]
    links = [fault for fault in faulty if not isinstance(fault, int)]
    got = broadcast_blocks(built, faults, faulty_nodes=nodes, faulty_links=links)
    assert got.missing == []
    assert (got.copies[:, nodes] == 0).all()


@pytest.mark.parametrize(("n", "faults"), [(2, 0), (4, 0), (4, 1), (6, 2), (8, 1), (10, 4)])
def test_without_faults_each_block_comes_once_by_each_of_its_trees(n: int, faults: int) -> None:
    built = family(f"uhc:{n}")
    got = broadcast_blocks(built, faults)
    assert (got.copies == faults + 1).all()
    assert got.steps == built.height


def test_two_links_can_defeat_readiness_for_one() -> None:
    built = family("uhc:4")
    defeats = [
        links
        for links in combinations(all_links(built), 2)
        if not broadcast_blocks(built, 1, faulty_links=links).complete
    ]
    assert ((0, 0), (0, 1)) in defeats
    assert 0 < len(defeats) < 496


@given(st.sampled_from(["uhc:6", "uhc:8"]), st.integers(1, 63), st.integers(0, 2))
def test_one_cut_on_each_path_of_a_block_defeats(spec: str, node: int, faults: int) -> None:
    built = family(spec)
    carriers = [j for j in range(len(built.trees)) if 0 in blocks_on(j, len(built.trees), faults)]
    cuts = [(int(built.trees[j].parent[node]), int(built.trees[j].port[node])) for j in carriers]
    assert len(cuts) == faults + 1
    assert (0, node) in broadcast_blocks(built, faults, faulty_links=cuts).missing
    assert broadcast_blocks(built, faults, faulty_links=cuts[1:]).complete


def test_missing_names_the_block_and_the_node() -> None:
    built = family("uhc:4")
    (link,) = [(int(t.parent[5]), int(t.port[5])) for t in built.trees[:1]]
    got = broadcast_blocks(built, 0, faulty_links=[link])
    assert (0, 5) in got.missing
    assert {block for block, _ in got.missing} == {0}
    assert np.flatnonzero(~got.healthy).size == 0


@pytest.mark.parametrize("faults", [2, -1])
def test_unready_for_so_many_faults(faults: int) -> None:
    with pytest.raises(InputError, match="2 trees of adst survive at most 1 faults"):
        broadcast_blocks(family("uhc:4"), faults)


BAD = [
    (
        *([0], []),
        "faulty_nodes='0000': the root must be healthy; choose another node, or another root",
    ),
    ([16], [], "faulty node 16: allowed are 0 to 15"),
    ([], [(3, 2)], "faulty link 3, 2: uhc:4 has no such node and port"),
    ([], [(-1, 0)], "faulty link -1, 0: uhc:4 has no such node and port"),
]


@pytest.mark.parametrize(("nodes", "links", "message"), BAD)
def test_faults_that_are_refused(nodes: list[int], links: list, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        broadcast_blocks(family("uhc:4"), 1, faulty_nodes=nodes, faulty_links=links)
