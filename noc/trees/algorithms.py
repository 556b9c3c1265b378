"""The list of algorithms: on which networks and models each works, and how to call it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from noc.errors import CheckError, InputError, option
from noc.networks import Network
from noc.registry import guarded
from noc.trees.tree import Ports, Tree, TreeFamily


@dataclass(frozen=True)
class Algorithm:
    """One way to build a broadcast tree, or a family of trees."""

    #: What users type after ``--algorithm``.
    name: str
    #: What it gives, in one line.
    summary: str
    #: The network families it is defined on; None for every network.
    families: tuple[str, ...] | None
    #: The communication models it is defined for.
    models: tuple[Ports, ...]
    #: From a network, a root and a model to the verified tree or trees. On a symmetric network it
    #: is only ever asked for root 0: the tree from another root is its translate.
    build: Callable[[Network, int, Ports], Tree | TreeFamily]
    #: The paper it comes from, as ``noc paper`` names it.
    paper: str | None = None
    #: From one of its trees to facts of it by name, in addition to height, steps and balance.
    measure: Callable[[Tree], dict[str, Any]] = lambda tree: {}  # noqa: ARG005
    #: Whether it gives several trees that share no link, as copies past faults need them.
    arc_disjoint: bool = False
    #: From a network and a root to whether their tree needs no long search.
    at_once: Callable[[Network, int], bool] = lambda network, root: True  # noqa: ARG005
    #: From a network, a root and a number of steps to the formula that can be satisfied if, and
    #: only if, a one-port broadcast takes no more: ``noc tree --cnf`` writes it.
    formula: Callable[[Network, int, int], Any] | None = None

    def defined_on(self, network: Network) -> bool:
        """Whether it works on this network."""
        return self.families is None or network.family in self.families

    @property
    def networks(self) -> str:
        """What it works on, in words."""
        return "any" if self.families is None else ", ".join(self.families)


def checked(algorithm: Algorithm, where: str) -> Algorithm:
    """A user's own algorithm, whose trees are checked; ``where`` is its name in messages."""

    def build(network: Network, root: int, ports: Ports) -> Tree | TreeFamily:
        try:
            built = guarded(algorithm.build, where)(network, root, ports)
            _require_requested(built, algorithm.name, network, root, ports)
            return built.check()
        except CheckError as error:
            request = f"{where}: on {network.spec} from {network.label(root)}"
            raise InputError(f"{request}: {error}") from None

    return replace(algorithm, build=build, measure=guarded(algorithm.measure, where))


def _require_requested(built: object, name: str, network: Network, root: int, ports: Ports) -> None:
    if not isinstance(built, Tree | TreeFamily):
        raise CheckError(f"build returned type {type(built).__name__}, not a Tree or TreeFamily")
    for tree in (built, *built.trees):
        if tree.network is not network:
            raise CheckError("it is a tree of another network")
        if (tree.algorithm, tree.ports) != (name, ports):
            raise CheckError(
                f"it is a tree of algorithm {tree.algorithm!r}, {tree.ports}-port, where "
                f"{name!r}, {ports}-port, is asked for"
            )
    if built.root != root:
        raise CheckError(f"the root is {built.root}, not {root}")


def build_from(
    algorithm: Algorithm, network: Network, root: int, ports: Ports
) -> Tree | TreeFamily:
    """Run an algorithm from any root."""
    if not algorithm.defined_on(network):
        raise InputError(
            f"{option('algorithm', algorithm.name)}: is not defined on {network.spec}; "
            f"it works on {algorithm.networks}"
        )
    if ports not in algorithm.models:
        raise InputError(
            f"algorithm {algorithm.name!r} has no {ports}-port form; "
            f"{' or '.join(option('ports', model) for model in algorithm.models)} is allowed"
        )
    if root != 0 and network.symmetric:
        return algorithm.build(network, 0, ports).translated(root)
    return algorithm.build(network, root, ports)
