"""``distributed``: the message-driven broadcast of the arrangement graph paper.

A node knows its label ``p = p_1 … p_k`` and the request it received, nothing else. The label
``p_out = p_{k+1} … p_n`` puts the symbols that ``p`` lacks in an order, and operator ``g_ij``
exchanges the i-th symbol of ``p`` with the j-th of both together. The subgraph of level ``l`` is
the nodes whose first ``l`` symbols are the same.

After Bai, Maeda, Ebara and Nakano (1998).
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from noc.networks import IntArray, Network
from noc.networks.permutations import Symbols, arrangements, outside_symbols
from noc.trees.algorithms import Algorithm
from noc.trees.growth import Growth
from noc.trees.tree import Ports, Tree

#: What a request makes of its receiver, the paper's ``ID``: the source of a subgraph; an
#: intermediate node of Phase 1; a node that passes Phase 2 on and then is a source one level down.
SOURCE, INTERMEDIATE, SPREADER = range(3)


class Header(NamedTuple):
    """What a request says in addition to ``p_out``: the paper's ``l``, ``i``, ``m`` and ``ID``."""

    level: int
    i: int
    m: int
    task: int


class Request(NamedTuple):
    """What a node receives: the sender's ``p_out``, one column for each receiver, and the header.

    Nodes that received the same header in the same step decide together, column by column.
    """

    p_out: Symbols
    header: Header


class Send(NamedTuple):
    """One send: along operator ``g_ij`` with i = ``position`` and j = ``place``, and its header."""

    position: int
    place: int
    header: Header


def decide(request: Request, label: Symbols) -> tuple[Symbols, list[Send]]:
    """What a node does about a request: its own ``p_out``, and its sends in order.

    Every request that it sends carries its own ``p_out``. ``label`` is its own label, a column for
    each receiver. Node 15 receives from 12(345) and becomes 15(342):

    >>> request = Request(np.array([[3], [4], [5]]), Header(0, 2, 1, INTERMEDIATE))
    >>> p_out, sends = decide(request, np.array([[1], [5]]))
    >>> p_out.T.tolist(), [(send.position, send.place) for send in sends]
    ([[3, 4, 2]], [(1, 5), (1, 4), (2, 3), (2, 4)])
    """
    k, n = label.shape[0], label.shape[0] + request.p_out.shape[0]
    return revised(request.p_out, label), list(_sends(request.header, n, k))


def revised(p_out: Symbols, label: Symbols) -> Symbols:
    """The sender's ``p_out`` with the symbol that the receiver took exchanged for the one it left.

    The source was given its own, which stays.
    """
    n = label.shape[0] + p_out.shape[0]
    # One symbol is in neither and one in both; all others cancel.
    left_less_taken = n * (n + 1) // 2 - label.sum(axis=0, dtype=int) - p_out.sum(axis=0, dtype=int)
    taken = np.zeros(p_out.shape, dtype=bool)
    for symbol in label:
        taken |= p_out == symbol
    return np.asarray(p_out + taken * left_less_taken, dtype=np.uint8)


def out_port(p_out: Symbols, position: int, place: int) -> IntArray:
    """The out-port along which a node exchanges a symbol for the one at ``place`` of ``p_out``.

    Ports count the symbols of ``p_out`` in ascending order; both arguments count from 1.
    """
    rank = (p_out < p_out[place - 1]).sum(axis=0)
    return np.asarray((position - 1) * p_out.shape[0] + rank)


def _sends(header: Header, n: int, k: int) -> Iterator[Send]:
    """The three phases, in order.

    Two misprints. Phase 3 sets ``l := I``, but an intermediate node p(I) serves its subgraph of
    level I-1, as the text around Table 2 says [arrangement-phase-3-level]; as printed, 2 of the
    20 nodes of A(5,2) and 251 of the 840 of A(7,4) get nothing, and where I = k a loop never
    ends [arrangement-phase-3-loop]. And the call that ends Phase 2 passes ``p`` for ``p_out``
    [arrangement-phase-2-call].
    """
    level, i, m, task = header
    if task == SOURCE:
        yield from _as_source(level, n, k)
    elif task == INTERMEDIATE:
        yield from _to_intermediates(level, i, m, n)
        yield _to_source(level + 1, n)
        yield from _to_spreaders(level, i, 0, n, k)
        # Without the last send of a source: the next intermediate node serves that subgraph.
        yield from _as_leading_source(i - 1, n, k)
    else:
        yield from _to_spreaders(level, i, m, n, k)
        yield from _as_source(level + 1, n, k)


def _as_source(level: int, n: int, k: int) -> Iterator[Send]:
    if level < k:
        yield from _as_leading_source(level, n, k)
        yield _to_source(level + 1, n)


def _as_leading_source(level: int, n: int, k: int) -> Iterator[Send]:
    """All sends of a source but the last."""
    yield from _to_intermediates(level, k + 1, 0, n)
    yield from _to_spreaders(level, level + 1, 0, n, k)


def _to_source(level: int, n: int) -> Send:
    return Send(level, n, Header(level, 0, 0, SOURCE))


def _to_intermediates(level: int, i: int, m: int, n: int) -> Iterator[Send]:
    """Phase 1: p(i) informs p(i - 2^m), p(i - 2^(m+1)), … down to p(l+2)."""
    while i - 2**m >= level + 2:
        position = i - 2**m
        m += 1
        yield Send(position, n, Header(level, position, m, INTERMEDIATE))


def _to_spreaders(level: int, i: int, m: int, n: int, k: int) -> Iterator[Send]:
    """Phase 2: whoever has informed subgraph i, its own included, goes on in growing strides.

    One formula for the paper's three: with w = k-l, subgraph i is followed by i + 2^m w,
    i + 2^(m+1) w, … up to n-1. The source begins in subgraph l+1, an intermediate node p(i) next
    to subgraph i.
    """
    while (place := i + 2**m * (k - level)) < n:
        m += 1
        yield Send(level + 1, place, Header(level, place, m, SPREADER))


def _build(network: Network, root: int, ports: Ports) -> Tree:
    """Run the broadcast from the source's own request until nothing is on the way any more."""
    n, k = (int(parameter) for parameter in network.parameters)
    labels = arrangements(n, k)
    growth, steps = Growth.empty(network.nodes), np.zeros(network.nodes, dtype=np.int32)
    # By step and header the receivers, their senders, the ports, and p_out, a column for each.
    due: dict[int, dict[Header, list[tuple[IntArray, IntArray, IntArray, Symbols]]]]
    due = defaultdict(lambda: defaultdict(list))

    def act(node: IntArray, request: Request, step: int) -> None:
        """Let nodes that received in ``step`` send, one request in each step that follows."""
        p_out, sends = decide(request, labels[:, node])
        for turn, (position, place, header) in enumerate(sends, start=1):
            port = out_port(p_out, position, place - k)
            receiver = network.neighbour[node, port]
            due[step + turn][header].append((receiver, node, port, p_out))

    source = np.array([root])
    act(source, Request(outside_symbols(labels[:, source], n), Header(0, 0, 0, SOURCE)), step=0)
    while due:
        step = min(due)
        for header, deliveries in due.pop(step).items():
            node, sender, port, p_out = (
                np.concatenate(part, axis=-1) for part in zip(*deliveries, strict=True)
            )
            growth.record(network, root, sender, port, node)
            steps[node] = step
            act(node, Request(p_out, header), step)
    return Tree(network, "distributed", ports, root, *growth, steps).check()


ALGORITHMS = (
    Algorithm(
        name="distributed",
        summary="message-driven, O(k log n) steps, each node decides from the request it received",
        families=("arrangement",),
        models=("one",),
        build=_build,
        paper="arrangement",
    ),
)
