"""Searches give the same with every release of Python and of numpy: streams, and their results."""

import hashlib
import random

import numpy as np
import pytest

from noc.design import build_direct
from noc.errors import CheckError
from noc.networks import build_network
from noc.research.schedules.annealing import parents_within
from noc.trees import build_tree
from noc.trees.shortest import Draws


def digest(*arrays: np.ndarray) -> str:
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(array.astype("<i8").tobytes())
    return whole.hexdigest()[:16]


# Areas were measured of these.
TREES = [
    ("scc:4", "shortest", "all", "dd00776cdd37e038"),
    ("star:5", "shortest", "all", "5a5455f4d3caddb4"),
    ("uhc:5", "shortest", "all", "18931a5540b1cb4f"),
    ("nk-star:5,2", "shortest", "all", "8a6940fbf97f74a1"),
    ("arrangement:4,2", "shortest", "one", "0b4292b40d75be27"),
    ("star:4", "fewest-steps", "one", "379f51154587bbac"),
    ("hypercube:5", "fewest-steps", "one", "0504ce6242245e25"),
    ("mesh:4,4", "fewest-steps", "one", "c052ed64bf6a56d2"),
]
PROGRAMS = [
    ("star:4", "d62ac75db1033a4b"),
    ("star:5", "0595bc5b0ea87528"),
    ("scc:4", "7fc3c534edbe3432"),
    ("uhc:4", "b51bdd724773f405"),
    ("hypercube:4", "cea8ae87729ce6e3"),
]


@pytest.mark.cases(6)
@pytest.mark.parametrize(("spec", "algorithm", "ports", "expected"), TREES)
def test_searched_trees_stay_what_they_are(spec, algorithm, ports, expected) -> None:
    built = build_tree(build_network(spec), algorithm, ports=ports)
    assert digest(built.parent, built.port, built.step) == expected


@pytest.mark.parametrize(("spec", "expected"), PROGRAMS)
def test_searched_codes_stay_what_they_are(spec, expected) -> None:
    program = build_direct(build_network(spec)).program
    arrays = program.row_code, program.send_port, program.send_code
    assert digest(program.table, *arrays) == expected


@pytest.mark.ci
def test_annealed_schedules_stay_what_they_are() -> None:
    assert digest(parents_within(build_network("star:4"), 0, 5, trials=4000, seed=3)) == (
        "9373ebb911d2dd04"
    )


@pytest.mark.ci
def test_searches_use_nothing_that_a_release_may_change(monkeypatch) -> None:
    def changed(*_arguments, **_options):
        raise AssertionError("this may change from release to release")

    for name in ("randrange", "randint", "choice", "shuffle", "sample", "getrandbits", "uniform"):
        monkeypatch.setattr(random.Random, name, changed)
    monkeypatch.setattr(np.random, "Generator", changed)
    monkeypatch.setattr(np.random, "default_rng", changed)
    build_direct(build_network("ccc:3"))
    parents_within(build_network("hypercube:3"), 0, 4, trials=20, seed=11)


@pytest.mark.parametrize("seed", range(20))
def test_the_draws_are_those_of_the_releases_of_today(seed: int) -> None:
    """No promise of Python: where this fails with a new one, the pins must still hold."""
    ends = random.Random(seed).choices([1, 2, 3, 4, 5, 8, 100, 1 << 16, (1 << 25) + 3], k=200)
    theirs, ours = random.Random(seed), Draws(seed)
    assert [theirs.randrange(end) for end in ends] == [ours.below(end) for end in ends]


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(CheckError, match="numbers below 4294967296 cannot be drawn"):
        Draws(0).below(1 << 32)
