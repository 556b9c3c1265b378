"""The balanced trees of complete and incomplete stars."""

from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.networks import build_network
from noc.networks.permutations import arrangements
from noc.papers.tables.star_trees.incomplete import balance_bound, branch_sizes, worst_root
from noc.trees import Tree, build_tree
from noc.trees.balanced import balanced_tree, substars

INCOMPLETE = [(n, k) for n in (4, 5) for k in range(2, n)]


def distinct_subtrees(built: Tree) -> int:
    """Subtrees with port labels that differ, hashed from the leaves up."""
    children: list[list[tuple[int, int]]] = [[] for _ in built.parent]
    states: dict[tuple[tuple[int, int], ...], int] = {}
    for node in np.argsort(-built.depth).tolist():
        state = states.setdefault(tuple(sorted(children[node])), len(states))
        if node != built.root:
            children[built.parent[node]].append((int(built.port[node]), state))
    return len(states)


def symbols_of(built: Tree) -> tuple[int, ...]:
    return tuple(int(symbol) for symbol in built.network.label(built.root))


def naive_parent(node: tuple[int, ...], root: tuple[int, ...]) -> tuple[int, ...]:
    """The parent in a star by the paper's rules, substar by substar, on labels."""
    free = list(range(len(node)))
    while True:
        place = [free.index(root.index(node[position])) + 1 for position in free]
        for part in substars(len(free)):
            if all(place[q] == part.entry[q] for q in range(len(free)) if q not in part.free):
                break
        if place == list(part.entry):
            position, label = free[part.position], list(node)
            label[0], label[position] = label[position], label[0]
            return tuple(label)
        entry = [root[free[symbol - 1]] for symbol in part.entry]
        root = tuple(entry[free.index(q)] if q in free else symbol for q, symbol in enumerate(root))
        free = [free[q] for q in part.free]


@pytest.mark.parametrize("n", range(3, 9))
def test_theorem_1(n: int) -> None:
    built = balanced_tree(build_network(f"star:{n}"))
    branches = [sum(factorial(j) for j in range(i - 1, n)) for i in range(2, n + 1)]
    assert built.height == 3 * (n - 1) // 2 == built.network.diameter()
    assert list(built.branch_sizes.values()) == branches
    assert built.balance == branches[0] / factorial(n - 1)


@pytest.mark.parametrize(("n", "states"), [(3, 4), (4, 12), (5, 26), (6, 59), (7, 122), (8, 251)])
def test_few_states(n: int, states: int) -> None:
    assert distinct_subtrees(balanced_tree(build_network(f"star:{n}"))) == states


@pytest.mark.parametrize("n", range(2, 9))
def test_one_port_takes_half_of_n_times_n_less_1_steps(n: int) -> None:
    built = balanced_tree(build_network(f"star:{n}"), ports="one")
    assert (built.ports, built.steps) == ("one", n * (n - 1) // 2)


@pytest.mark.parametrize("n", range(3, 7))
def test_every_parent_is_that_of_the_rules(n: int) -> None:
    net = build_network(f"star:{n}")
    built, root = balanced_tree(net), tuple(range(1, n + 1))
    labels = [tuple(int(symbol) for symbol in net.label(node)) for node in range(net.nodes)]
    for node in range(1, net.nodes):
        assert labels[built.parent[node]] == naive_parent(labels[node], root)


@pytest.mark.parametrize("n", range(2, 8))
def test_the_parts_hold_every_node_once(n: int) -> None:
    symbols = arrangements(n, n)
    held = np.zeros(symbols.shape[1], dtype=int)
    for part in substars(n):
        fixed = [position for position in range(n) if position not in part.free]
        held += (symbols[fixed] == np.array(part.entry, dtype=np.uint8)[fixed, None]).all(axis=0)
    assert (held == 1).all()


def test_the_tree_at_the_top_of_figure_1() -> None:
    """The nodes of S(6) that have a part below them of their own, and their parents."""
    net = build_network("star:6")
    parent = balanced_tree(net).parent
    for label, above in [
        ("423156", "123456"),  # a(4)
        ("243156", "423156"),  # b(4,2), inside B(1,4)
        ("523146", "423156"),  # b(4,5), enters B(4,5)
        ("623154", "423156"),  # b(4,6), enters C(1,4)
        ("623145", "523146"),  # c(4,5), enters C(4,5)
        ("123654", "623154"),  # c(4,6), enters C(6,4)
    ]:
        assert net.label(int(parent[net.node(label)])) == above


@given(st.integers(3, 6), st.data())
@settings(max_examples=30, deadline=None)
def test_the_star_tree_of_any_root_is_the_translate(n: int, data: st.DataObject) -> None:
    net = build_network(f"star:{n}")
    root = data.draw(st.integers(0, net.nodes - 1))
    moved = build_tree(net, "balanced", root=root)
    assert np.array_equal(balanced_tree(net, root).parent, moved.parent)


@pytest.mark.parametrize(("n", "k"), INCOMPLETE)
def test_theorem_2_from_every_root(n: int, k: int) -> None:
    net = build_network(f"incomplete-star:{n},{k}")
    worst = {False: Fraction(0), True: Fraction(0)}
    for root in range(net.nodes):
        built = balanced_tree(net, root)
        sizes = branch_sizes(symbols_of(built), k)
        present = symbols_of(built)[0] > n - k
        worst[present] = max(worst[present], Fraction(max(sizes.values()), min(sizes.values())))
        assert built.branch_sizes == sizes
        # One root in four of C(2) of S(5) has no node as far off as the diameter.
        lower = n % 2 == 1 and k == 2 and present
        assert built.height == net.eccentricity(root) == 3 * (n - 1) // 2 - lower
    assert worst == {case: balance_bound(n, k, first_present=case) for case in worst}


@given(st.integers(3, 7), st.data())
@settings(max_examples=40, deadline=None)
def test_incomplete_star_from_any_root(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(2, n - 1))
    net = build_network(f"incomplete-star:{n},{k}")
    built = balanced_tree(net, data.draw(st.integers(0, net.nodes - 1)))
    present = symbols_of(built)[0] > n - k
    assert built.branch_sizes == branch_sizes(symbols_of(built), k)
    assert built.height == 3 * (n - 1) // 2 - (n % 2 == 1 and k == 2 and present)


@pytest.mark.parametrize("n", range(4, 8))
def test_the_worst_root_is_worst_and_attains_the_bound(n: int) -> None:
    for k in range(2, n):
        result = {False: Fraction(0), True: Fraction(0)}
        for root in permutations(range(1, n + 1)):
            if root[-1] > n - k:
                sizes = branch_sizes(root, k).values()
                case = root[0] > n - k
                result[case] = max(result[case], Fraction(max(sizes), min(sizes)))
        for case, balance in result.items():
            sizes = branch_sizes(worst_root(n, k, first_present=case), k).values()
            bound = balance_bound(n, k, first_present=case)
            assert Fraction(max(sizes), min(sizes)) == balance == bound


@pytest.mark.parametrize("n", [9, 13, 20, 40])
def test_the_worst_root_attains_the_bound_on_large_stars(n: int) -> None:
    for k in range(2, n):
        for case in (False, True):
            root = worst_root(n, k, first_present=case)
            sizes = branch_sizes(root, k)
            assert sorted(root) == list(range(1, n + 1))
            assert root[-1] > n - k
            assert (root[0] > n - k) == case
            assert sum(sizes.values()) == k * factorial(n - 1) - 1
            bound = balance_bound(n, k, first_present=case)
            assert Fraction(max(sizes.values()), min(sizes.values())) == bound


def test_the_incomplete_star_that_lacks_nothing_has_the_star_tree() -> None:
    whole, star = build_network("incomplete-star:5,5"), build_network("star:5")
    assert np.array_equal(balanced_tree(whole).parent, balanced_tree(star).parent)
