"""Trees for networkx."""

from typing import Any

import numpy as np

from noc.trees.tree import NO_PARENT, Tree, TreeFamily

__all__ = ["to_networkx"]


def to_networkx(tree: Tree | TreeFamily) -> Any:
    """A directed graph of networkx with an edge from each node to each of its children.

    >>> from noc.trees import build_tree
    >>> graph = to_networkx(build_tree("star:3"))
    >>> graph.number_of_edges(), graph["123"]["213"][0]
    (5, {'out': '2', 'in': '2', 'step': 1, 'tree': 0})

    Parameters
    ----------
    tree : Tree or TreeFamily
        The tree, or several. Attributes of an edge: ``out`` and ``in`` are the labels of the ports
        at its ends, ``step`` is the step in which the child receives, and ``tree`` the place of the
        tree among several. Attributes of the graph: ``algorithm``, ``ports`` and ``root``.
    """
    # Here, because it takes longer to load than the rest of this stage.
    import networkx

    network = tree.network
    graph = networkx.MultiDiGraph(
        name=network.spec,
        algorithm=tree.algorithm,
        ports=tree.ports,
        root=network.label(tree.root),
    )
    graph.add_nodes_from(network.label(node) for node in range(network.nodes))
    for place, member in enumerate(tree.trees):
        arrival = member.arrival()
        for child in np.flatnonzero(member.parent != NO_PARENT).tolist():
            ends = (network.label(node) for node in (int(member.parent[child]), child))
            facts = {
                "out": network.out_ports[int(member.port[child])],
                "in": network.in_ports[int(arrival[child])],
                "step": int(member.step[child]),
                "tree": place,
            }
            graph.add_edge(*ends, **facts)
    return graph
