"""Which VCs of routers wait for which, and the cycle in which they wait for ever."""

import numpy as np

from noc.model import kernel
from noc.model.kernel import Fixed, Registers
from noc.networks import IntArray

__all__ = ["Dependencies", "Vertex", "find_cycle", "find_dependencies", "pending"]

#: A node and a virtual channel: the two slots of the VC there.
Vertex = tuple[int, int]

#: For each vertex with words those that its oldest word has still to enter.
Dependencies = dict[Vertex, list[Vertex]]


def _heads(fixed: Fixed, registers: Registers) -> IntArray:
    """For every node and VC the slot of its oldest word, and the copies still to be sent."""
    begin = kernel.SLOTS + 4 * fixed.vcs
    end = begin + 2 * fixed.vcs
    return registers.router[:, begin:end].reshape(-1, fixed.vcs, 2)


def pending(fixed: Fixed, registers: Registers) -> IntArray:
    """The copies that the oldest word of each VC at each node has still to send."""
    heads = _heads(fixed, registers)
    return np.where(heads[..., kernel.HEAD] == kernel.NONE, 0, heads[..., kernel.PENDING])


def find_dependencies(fixed: Fixed, registers: Registers) -> Dependencies:
    """What every held word waits for, sinks apart; in one-port use only its next send."""
    heads, copies = _heads(fixed, registers), pending(fixed, registers)
    result: Dependencies = {}
    for node, vc in np.argwhere(heads[..., kernel.HEAD] != kernel.NONE).tolist():
        slot = kernel.SLOTS + 2 * int(heads[node, vc, kernel.HEAD])
        row = int(registers.router[node, slot + kernel.ROW])
        sends = int(copies[node, vc]) >> 1
        left = [copy for copy in range(sends.bit_length()) if sends >> copy & 1]
        if fixed.one_port:
            left = left[:1]
        result[node, vc] = [_target(fixed, node, row, copy) for copy in left]
    return result


def _target(fixed: Fixed, node: int, row: int, copy: int) -> Vertex:
    port, code = fixed.sends[row, copy].tolist()
    there, _, table = fixed.wires[node, port].tolist()
    return there, int(fixed.row_vc[fixed.row_of_code[table, code]])


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
