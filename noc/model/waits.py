"""Which places of routers wait for which, and the circle in which they wait for ever."""

import numpy as np

from noc.model import kernel
from noc.model.kernel import Fixed, Registers
from noc.networks import IntArray

__all__ = ["Place", "Waits", "circle", "pending", "waits"]

#: A node and a class: the two places of the class there.
Place = tuple[int, int]

#: For each place with words the places that its oldest word has still to enter.
Waits = dict[Place, list[Place]]


def _heads(fixed: Fixed, registers: Registers) -> IntArray:
    """For every node and class the place of its oldest word, and the copies still to be sent."""
    begin = kernel.PLACES + 4 * fixed.classes
    end = begin + 2 * fixed.classes
    return registers.router[:, begin:end].reshape(-1, fixed.classes, 2)


def pending(fixed: Fixed, registers: Registers) -> IntArray:
    """The copies that the oldest word of each class at each node has still to send."""
    heads = _heads(fixed, registers)
    return np.where(heads[..., kernel.HEAD] == kernel.NONE, 0, heads[..., kernel.PENDING])


def waits(fixed: Fixed, registers: Registers) -> Waits:
    """What every held word waits for, sinks apart; in one-port use only its next send."""
    heads, copies = _heads(fixed, registers), pending(fixed, registers)
    result: Waits = {}
    for node, class_ in np.argwhere(heads[..., kernel.HEAD] != kernel.NONE).tolist():
        place = kernel.PLACES + 2 * int(heads[node, class_, kernel.HEAD])
        row = int(registers.router[node, place + kernel.ROW])
        sends = int(copies[node, class_]) >> 1
        slots = [slot for slot in range(sends.bit_length()) if sends >> slot & 1]
        if fixed.one_port:
            slots = slots[:1]
        result[node, class_] = [_target(fixed, registers, node, row, slot) for slot in slots]
    return result


def _target(fixed: Fixed, registers: Registers, node: int, row: int, slot: int) -> Place:
    port, state = fixed.sends[row, slot].tolist()
    there, _, far_row = fixed.wires[node, port].tolist()
    return there, int(fixed.of_row[registers.router[there, kernel.COLOUR], far_row + state])


def circle(waits: Waits) -> list[Place]:
    """Some places that wait for each other in a circle, in this order; empty if there are none."""
    done: set[Place] = set()
    for start in waits:
        path: dict[Place, int] = {}
        stack = [(start, iter(waits[start]))]
        path[start] = 0
        while stack and start not in done:
            place, left = stack[-1]
            there = next(left, None)
            if there is None:
                done.add(place)
                del path[place]
                stack.pop()
            elif there in path:
                return list(path)[path[there] :]
            elif there in waits and there not in done:
                path[there] = len(stack)
                stack.append((there, iter(waits[there])))
    return []
