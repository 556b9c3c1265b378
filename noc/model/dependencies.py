"""Which VCs of routers wait for which, and the cycle in which they wait for ever."""

import numpy as np

from noc.model.common import NONE
from noc.model.state import Fixed, Routers

__all__ = ["Dependencies", "Vertex", "find_cycle", "find_dependencies"]

#: A node and a virtual channel: the two slots of the VC there.
Vertex = tuple[int, int]

#: For each vertex with words those that its oldest word has still to enter.
Dependencies = dict[Vertex, list[Vertex]]


def find_dependencies(fixed: Fixed, routers: Routers) -> Dependencies:
    """What every held word waits for, sinks apart; in one-port use only its next send."""
    result: Dependencies = {}
    for node, vc in np.argwhere(routers.head != NONE).tolist():
        row = int(routers.slot_row[node, routers.head[node, vc]])
        pending = int(routers.pending[node, vc])
        sends = [copy for copy in range(1, pending.bit_length()) if pending >> copy & 1]
        result[node, vc] = [
            _target(fixed, node, row, copy) for copy in (sends[:1] if fixed.one_port else sends)
        ]
    return result


def _target(fixed: Fixed, node: int, row: int, copy: int) -> Vertex:
    port, code = fixed.out_port[row, copy], fixed.code[row, copy]
    far_row = fixed.row_of_code[fixed.far_table[node, port], code]
    return int(fixed.far_node[node, port]), int(fixed.vc[far_row])


def find_cycle(dependencies: Dependencies) -> list[Vertex]:
    """Some vertices that wait for each other in a cycle, in this order; empty if there are none."""
    done: set[Vertex] = set()
    for start in dependencies:
        path: dict[Vertex, int] = {}
        stack = [(start, iter(dependencies[start]))]
        path[start] = 0
        while stack and start not in done:
            vertex, left = stack[-1]
            there = next(left, None)
            if there is None:
                done.add(vertex)
                del path[vertex]
                stack.pop()
            elif there in path:
                return list(path)[path[there] :]
            elif there in dependencies and there not in done:
                path[there] = len(stack)
                stack.append((there, iter(dependencies[there])))
    return []
