"""The list of algorithms: on which networks and models each works, and how to call it."""

from collections.abc import Callable
from dataclasses import dataclass

from noc.errors import InputError
from noc.networks import Network
from noc.trees.tree import Ports, Tree, TreeFamily

__all__ = ["Algorithm", "ProgressReport", "build_from"]

#: Told how much of a long search is done, 0 to 1, and a word on what was found.
ProgressReport = Callable[[float, str], None]


@dataclass(frozen=True)
class Algorithm:
    """One way to build a broadcast tree, or a family of trees.

    Parameters
    ----------
    name : str
        What users type after ``--algorithm``.
    summary : str
        What it gives, in one line.
    families : tuple of str, or None
        The network families it is defined on; None for every network.
    models : tuple of "all" and "one"
        The communication models it is defined for.
    build : callable
        From a network, a root and a model to the verified tree or trees. On a symmetric network
        it is only ever asked for root 0: the tree from another root is its translate.
    paper : str, or None
        The paper it comes from, as ``noc paper`` names it.
    """

    name: str
    summary: str
    families: tuple[str, ...] | None
    models: tuple[Ports, ...]
    build: Callable[[Network, int, Ports], Tree | TreeFamily]
    paper: str | None = None

    def defined_on(self, network: Network) -> bool:
        """Whether it works on this network."""
        return self.families is None or network.family in self.families

    @property
    def networks(self) -> str:
        """What it works on, in words."""
        return "any" if self.families is None else ", ".join(self.families)


def build_from(
    algorithm: Algorithm, network: Network, root: int, ports: Ports
) -> Tree | TreeFamily:
    """Run an algorithm from any root."""
    if not algorithm.defined_on(network):
        raise InputError(
            f"algorithm {algorithm.name!r} is not defined on {network.spec}; "
            f"it works on {algorithm.networks}"
        )
    if ports not in algorithm.models:
        raise InputError(
            f"algorithm {algorithm.name!r} has no {ports}-port form; "
            f"ports={' or '.join(algorithm.models)} is allowed",
            "ports",
        )
    if root != 0 and network.symmetric:
        return algorithm.build(network, 0, ports).translated(root)
    return algorithm.build(network, root, ports)
