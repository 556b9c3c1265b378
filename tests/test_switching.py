"""Switching networks as broadcast sequences on SCC."""

from itertools import chain, pairwise, product
from math import factorial, log2

import numpy as np
import pytest

from noc.networks import build_network
from noc.research.papers.tables.scc.switching import kept_stages
from noc.trees import build_tree, rings
from noc.trees.rings import star_word


def sorts_by_comparison(stages, n: int) -> bool:
    """By the 0-1 principle: comparators that sort zeros and ones sort everything."""
    for bits in product((0, 1), repeat=n):
        row = [0, *bits]
        for i, j in (switch for stage in stages for switch in stage):
            row[i], row[j] = min(row[i], row[j]), max(row[i], row[j])
        if row != sorted(row):
            return False
    return True


def settings_reach(stages, n: int) -> int:
    """How many permutations some setting of the switches gives."""
    reached = {tuple(range(n))}
    for i, j in (switch for stage in stages for switch in stage):
        swapped = [list(q) for q in reached]
        for q in swapped:
            q[i - 1], q[j - 1] = q[j - 1], q[i - 1]
        reached |= {tuple(q) for q in swapped}
    return len(reached)


def test_first_stage_as_printed() -> None:
    stages = rings.halving_stages(8)
    assert stages[0] == [(1, 5), (2, 6), (3, 7), (4, 8)]
    assert rings.star_word(stages[:1]) == [5, 6, 2, 6, 7, 3, 7, 8, 4, 8]


@pytest.mark.parametrize("n", [2, 4, 8, 16])
def test_nlogn_stages_and_switches_of_powers_of_two(n) -> None:
    stages = rings.halving_stages(n)
    assert len(stages) == 2 * log2(n) - 1
    assert sum(map(len, stages)) == n * log2(n) - n / 2
    assert stages == kept_stages(tuple(range(1, n + 1)))


@pytest.mark.parametrize("n", range(2, 9))
def test_halving_gives_every_permutation(n) -> None:
    assert settings_reach(rings.halving_stages(n), n) == factorial(n)


# The report's rule for other n, by the positions that are kept: permutations from the settings of
# the switches, and rings that the sequence reaches, because parts of a switch's three laterals can
# serve as well.
KEPT = [
    ((1, 2, 3), 6, 6),
    ((1, 2, 3, 4, 5), 84, 84),
    ((1, 3, 5, 7, 8), 120, 120),
    ((1, 2, 3, 4, 5, 6), 560, 720),
    ((1, 2, 3, 4, 5, 8), 296, 624),
    ((1, 2, 3, 4, 5, 6, 7), 5040, 5040),
]


@pytest.mark.parametrize(("kept", "settings", "rings"), KEPT)
def test_which_positions_are_kept_decides(kept, settings, rings) -> None:
    stages, star = kept_stages(kept), build_network(f"star:{len(kept)}")
    informed = np.arange(star.nodes) == 0
    for d in star_word(stages):
        informed[star.neighbour[informed, d - 2]] = True
    assert settings_reach(stages, len(kept)) == settings
    assert informed.sum() == rings


@pytest.mark.parametrize("n", range(2, 13))
def test_neighbour_network_sorts(n) -> None:
    stages = rings.neighbour_stages(n)
    assert sorts_by_comparison(stages, n)
    assert sum(map(len, stages)) == n * (n - 1) // 2


@pytest.mark.parametrize("n", [5, 7])
def test_odd_neighbour_network_needs_its_last_stage(n) -> None:
    assert not sorts_by_comparison(rings.neighbour_stages(n)[:-1], n)
    assert settings_reach(rings.neighbour_stages(n)[:-1], n) < factorial(n)


def test_second_stage_starts_at_the_outer_pair() -> None:
    assert rings.neighbour_stages(8)[1] == [(2, 3), (4, 5), (6, 7), (1, 8)]


def local_steps(word: list[int], ring: int) -> int:
    return sum(min((b - a) % ring, (a - b) % ring) for a, b in pairwise(word))


@pytest.mark.parametrize("stages", [rings.halving_stages(4), rings.neighbour_stages(4)])
def test_ring_word_is_the_best_order(stages) -> None:
    def orders(stage):
        if not stage:
            return [[]]
        return [
            [*form, *rest]
            for k, (i, j) in enumerate(stage)
            for form in ([[j - 2]] if i == 1 else [[i - 2, j - 2, i - 2], [j - 2, i - 2, j - 2]])
            for rest in orders(stage[:k] + stage[k + 1 :])
        ]

    words = [list(chain(*parts)) for parts in product(*map(orders, stages))]
    best = min(local_steps(word, 3) for word in words)
    assert local_steps(rings.ring_word(stages, 3), 3) == best


# Algorithm, n, lateral steps and all steps of the sequence, nodes that it leaves uninformed,
# and the step at which the last node receives with the pass that ends it.
TREES = [
    ("switching-nlogn", 3, 3, 5, 2, 6),
    ("switching-nlogn", 4, 12, 21, 0, 20),
    ("switching-nlogn", 5, 14, 28, 18, 30),
    ("switching-nlogn", 6, 26, 61, 0, 54),
    ("switching-nlogn", 7, 35, 84, 0, 77),
    ("switching-nlogn", 8, 50, 132, 0, 123),
    ("switching-n2", 3, 5, 7, 2, 8),
    ("switching-n2", 4, 12, 21, 0, 20),
    ("switching-n2", 5, 24, 45, 0, 34),
    ("switching-n2", 6, 35, 67, 0, 51),
    ("switching-n2", 7, 55, 110, 0, 86),
    ("switching-n2", 8, 70, 142, 0, 96),
]
STAGES = {
    "switching-nlogn": rings.halving_stages,
    "switching-n2": rings.neighbour_stages,
}


@pytest.mark.parametrize(("name", "n", "lateral", "length", "missed", "steps"), TREES)
def test_sequences(name, n, lateral, length, missed, steps) -> None:
    moves = rings.walk(n - 1, rings.ring_word(STAGES[name](n), n - 1))
    result = build_tree(build_network(f"scc:{n}"), name, ports="one")
    assert (rings.lateral_steps(moves), len(moves)) == (lateral, length)
    assert (result.step > length).sum() == missed
    assert result.steps == steps
