"""Networks and trees that several rows need, each built once."""

from functools import cache

from noc.networks import Network, build_network
from noc.trees import Ports, Tree, build_tree

__all__ = ["build", "one_tree"]


@cache
def build(spec: str) -> Network:
    """The network."""
    return build_network(spec)


@cache
def one_tree(spec: str, algorithm: str, ports: Ports, root: int = 0) -> Tree:
    """The tree of an algorithm that gives one."""
    return build_tree(build(spec), algorithm, root=root, ports=ports)
