"""The balanced trees of complete and incomplete stars."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from math import factorial
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.networks import build_network
from noc.networks.permutations import arrangements
from noc.research.papers.tables.star_trees.theorems import balance_bound, branch_sizes, worst_root
from noc.trees import Tree, build_tree
from noc.trees.balanced import Part, balanced_tree, ports_to_parent, substars

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


Label = tuple[int, ...]


def swapped(label: Label, position: int) -> Label:
    symbols = list(label)
    symbols[0], symbols[position] = symbols[position], symbols[0]
    return tuple(symbols)


def by_definition(root: Label, free: list[int]) -> dict[Label, Label]:
    """Each node's parent, from the paper's a(i), b(i,j) and c(i,j) and what their parts fix."""
    above: dict[Label, Label] = {}

    def enter(node: Label, parent: Label, fixed: list[int]) -> Label:
        above[node] = parent
        above.update(by_definition(node, sorted(set(free) - set(fixed))))
        return node

    if len(free) == 1:
        return above
    n = free[-1]
    enter(swapped(root, n), root, [n])  # a(n) enters A.
    for i in free[1:-1]:
        a = enter(swapped(root, i), root, [q for q in free if q >= i])  # B(1,i)
        c = enter(swapped(a, n), a, [i, n])  # C(1,i)
        enter(swapped(c, i), c, [i, n])  # C(n,i)
        for j in set(free[1:-1]) - {i}:
            b = swapped(a, j)
            if j > i:
                enter(b, a, [q for q in free if q >= j])  # B(i,j)
            enter(swapped(b, n), b, [j, n])  # C(i,j)
    return above


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
    built = balanced_tree(net)
    labels = [tuple(int(symbol) for symbol in net.label(node)) for node in range(net.nodes)]
    parents = {labels[node]: labels[built.parent[node]] for node in range(1, net.nodes)}
    assert parents == by_definition(tuple(range(1, n + 1)), list(range(n)))


@given(st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_the_order_of_the_parts_does_not_matter(draw: Random) -> None:
    def shuffled(n: int) -> Iterator[Part]:
        parts = list(substars(n))
        return iter(draw.sample(parts, len(parts)))

    assert np.array_equal(ports_to_parent(6, shuffled), ports_to_parent(6))


@pytest.mark.parametrize("n", range(2, 8))
def test_the_parts_hold_every_node_once(n: int) -> None:
    symbols = arrangements(n, n)
    held = np.zeros(symbols.shape[1], dtype=int)
    for part in substars(n):
        fixed = [position for position in range(n) if position not in part.free]
        held += (symbols[fixed] == np.array(part.entry, dtype=np.uint8)[fixed, None]).all(axis=0)
    assert (held == 1).all()


@given(st.integers(3, 6), st.data())
@settings(max_examples=30)
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
