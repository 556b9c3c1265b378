"""Networks and trees that several rows need, each built once."""

from functools import cache

from noc.networks import Network, network
from noc.trees import Ports, Tree, tree

__all__ = ["build", "one_tree"]


@cache
def build(spec: str) -> Network:
    """The network."""
    return network(spec)


@cache
def one_tree(spec: str, algorithm: str, ports: Ports, root: int = 0) -> Tree:
    """The tree of an algorithm that gives one."""
    return tree(build(spec), algorithm, root=root, ports=ports)
