"""``fewest-steps``: one-port broadcast on any network in as few steps as search can find."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from noc.errors import InputError
from noc.networks import IntArray, Network
from noc.research.schedules import annealing, store
from noc.research.schedules.formula import broadcast_formula
from noc.trees.algorithms import Algorithm
from noc.trees.bounds import floor, growth_bound
from noc.trees.tree import NO_PARENT, Ports, Tree, scheduled

#: What users type after ``--algorithm``.
NAME = "fewest-steps"


@dataclass(frozen=True)
class Quality:
    """How good a one-port broadcast is."""

    #: The greater of ⌈log₂ N⌉ and the root's eccentricity.
    floor: int
    #: The best lower bound that is known; at least the floor.
    bound: int
    #: The steps of the broadcast.
    steps: int
    #: Steps above the bound.
    gap: int
    #: Whether fewer steps are known to be impossible.
    optimal: bool
    #: What shows it, or what is left open.
    how: str


def tree_of(network: Network, root: int, parent: IntArray) -> Tree:
    """The verified one-port tree with these parents, in its fewest steps."""
    child = np.flatnonzero(parent != NO_PARENT)
    port = np.full(network.nodes, NO_PARENT, dtype=np.int16)
    leads = network.neighbour[parent[child]] == child[:, None]
    port[child] = leads.argmax(axis=1)
    return scheduled(network, NAME, "one", root, parent, port)


def quality(tree: Tree) -> Quality:
    """Measure a one-port tree against the lower bounds and the proofs that are known."""
    if tree.ports != "one":
        raise InputError(f"quality: the tree is {tree.ports}-port; allowed: one-port trees")
    network, steps = tree.network, tree.steps
    low, bound = floor(network, tree.root), growth_bound(network, tree.root)
    known = store.best_known(network, 0 if network.symmetric else tree.root)
    best = known[1] if known else None
    if best and best.proof:
        bound = max(bound, best.steps)
    if steps == low:
        how = "meets the floor"
    elif steps == bound:
        certificate = best and best.proof
        how = f"certificate {certificate}" if certificate else "meets the growth bound"
    elif best and best.steps < steps:
        how = f"a broadcast of {best.steps} steps is known"
    else:
        how = f"between {bound} and {steps} steps it is open"
    return Quality(low, bound, steps, steps - bound, steps == bound, how)


def _measure(tree: Tree) -> dict[str, Any]:
    """Its quality without its steps, which are shown of every tree."""
    return {name: value for name, value in asdict(quality(tree)).items() if name != "steps"}


def _build(network: Network, root: int, ports: Ports) -> Tree:  # noqa: ARG001
    known = store.best_known(network, root)
    if known is not None:
        return tree_of(network, root, known[0])
    bound = growth_bound(network, root)
    return tree_of(network, root, annealing.best_parents(network, root, bound))


ALGORITHM = Algorithm(
    name=NAME,
    summary="fewest steps that search finds, with the lower bound, on any network",
    families=None,
    models=("one",),
    build=_build,
    measure=_measure,
    at_once=lambda network, root: store.best_known(network, root) is not None,
    formula=broadcast_formula,
)
