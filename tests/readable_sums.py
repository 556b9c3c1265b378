"""Routers that add words up, played cycle by cycle, by tables and wires, without pauses."""

from collections import defaultdict
from collections.abc import Callable

from noc.model import Traffic
from noc.model.faults import NO_FAULTS, Faults
from noc.programs.round_table import OWN, loop_of, terms
from noc.programs.rounds import RoundProgram

#: Cycle, node, port and data of a transfer.
Event = tuple[int, int, int, int]


def played(
    program: RoundProgram,
    traffic: Traffic,
    data: Callable[[int], int],
    add: Callable[[int, int], int],
    cycles: int,
    faults: Faults = NO_FAULTS,
) -> list[Event]:
    """The events of some cycles."""
    network, loop, length = program.network, loop_of(program.network), program.round
    waiting = defaultdict(list)
    words = zip(traffic.source.tolist(), traffic.release.tolist(), strict=True)
    for word, (source, release) in enumerate(words):
        waiting[program.injects[source]].append((word, release))
    lane = len(network.in_ports) + 1
    came: dict[tuple[int, int, int], int] = {}
    own: dict[tuple[int, int], int] = {}
    arriving: list[tuple[int, int, int]] = []
    events = []
    # What tables find out anew each time that they are asked.
    gives = {
        (node, port): (wait, program.table_of(node).gives(port))
        for node in range(network.nodes)
        for port, wait in zip(
            program.table_of(node).inject_lanes, program.table_of(node).waits, strict=True
        )
    }
    for cycle in range(cycles):
        phase, fresh = cycle % length, {}
        events += [(cycle, node, lane + entry, word) for node, entry, word in arriving]
        arriving = []
        for node in range(network.nodes):
            table = program.table_of(node)
            for port, choices in table.sends:
                parts = []
                for register in terms(choices[phase]):
                    if register.in_port == OWN:
                        parts.append(own.get((node, port)))
                    else:
                        parts.append(came.get((cycle - register.age, node, register.in_port)))
                there = [part for part in parts if part is not None]
                ends = network.neighbour[node], network.arrival[node]
                far, entry = (node, loop) if port == loop else (int(e[port]) for e in ends)
                if there and cycle < faults.links.get((node, far), cycle + 1):
                    total = there[0]
                    for other in there[1:]:
                        total = add(total, other)
                    came[cycle, far, entry] = total
                    if port != loop:
                        events.append((cycle, far, entry, total))
                    receiver = program.table_of(far)
                    if receiver.takes[receiver.in_ports.index(entry)][phase]:
                        arriving.append((far, entry, total))
        for (node, port), (wait, phases) in gives.items():
            stream = waiting[node, port]
            given = phases[phase] and cycle // length >= wait[phase]
            if given and stream and stream[0][1] <= cycle:
                word, _ = stream.pop(0)
                fresh[node, port] = data(word)
                events.append((cycle, node, lane + loop + 1 + port, data(word)))
        own = fresh
    return sorted(events)
