"""Families of arc-disjoint trees lower than the ADST, which the paper asks for.

A SAT solver found them for n = 6 and 8, of height n+2 and as turns of one another like the ADST's
members; it also showed that height n+1 is impossible for n = 4, 6 and 8. Each is kept as the
in-ports of the nodes 1, 2, 3 … in the tree that begins at out-port 0, and verified when shown.
"""

import numpy as np

from noc.networks import Network, build_network
from noc.trees import Tree, TreeFamily
from noc.trees.schedule import scheduled
from noc.trees.tree import NO_PARENT

__all__ = ["lower_family"]

IN_PORTS = {
    6: "000001101022111001202110101002102121100201110011202022101220102",
    8: "0003111013320013112012032300222023111011213102212002110213331002312333033000332000101"
    "2100332311130003133222031100130121030000330312230330130332132003330322122332100023120"
    "1320103333321012223311302021331320131021233330123031103300100231232222323301222200213",
}


def lower_family(n: int) -> TreeFamily:
    """The known family of height n+2, for n = 6 and 8."""
    net = build_network(f"uhc:{n}")
    members = tuple(_member(net, n, turn) for turn in range(n // 2))
    return TreeFamily(net, "lower", "all", 0, members).check()


def _member(net: Network, n: int, turn: int) -> Tree:
    """The kept tree with all labels turned left by ``turn`` pairs."""
    node = np.arange(net.nodes, dtype=np.int32)
    kept = (node >> 2 * turn) | (node & ((1 << 2 * turn) - 1)) << (n - 2 * turn)
    in_ports = np.array([NO_PARENT, *map(int, IN_PORTS[n])])
    port = (in_ports[kept] + turn) % (n // 2)
    out_mask = net.neighbour[:, 0] ^ node
    # In every pair a node receives by the bit by which it does not send.
    parent = node ^ (0b11 - out_mask) << 2 * port
    parent[0] = port[0] = NO_PARENT
    return scheduled(net, "lower", "all", 0, parent, port)
