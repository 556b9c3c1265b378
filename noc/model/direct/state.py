"""What the compiled model of the direct fabric works on, by name.

A *requester* of a router is an in-port on which words arrive, or its inject stream, which comes
last. Copy 0 of a word is the one for the node itself; the sends of its row follow in order.
"""

from typing import NamedTuple

import numpy as np

from noc.errors import InputError
from noc.model import runs
from noc.model.faults import NO_FAULTS, Faults
from noc.model.runs import NONE, new_arrays
from noc.networks import IntArray, Network
from noc.networks.named import links_between
from noc.programs.automaton import NOTHING
from noc.programs.program import Program

#: The bit of copy 0 among those of a word.
EJECT = 1

#: Slots of a router, and words that a relay holds.
SLOTS = RELAY = 2

# Sends and requesters have a bit each, beside the eject and the sign.
_MOST = 62


class Fixed(NamedTuple):
    """What never changes: wires, tables and options."""

    far_node: IntArray  # (nodes, out-ports): the node behind it
    far_requester: IntArray  # (nodes, out-ports): the requester that it is there
    far_table: IntArray  # (nodes, out-ports): the table of that node
    row_of_code: IntArray  # (tables, codes)
    out_port: IntArray  # (rows, copies)
    code: IntArray  # (rows, copies): by which the receiver knows the copy
    copies: IntArray  # (rows): a bit for each
    in_port: IntArray  # (nodes, requesters)
    requesters: IntArray  # (nodes): how many there are
    own_port: int  # the number of the inject stream among in-ports
    one_port: bool
    relays: bool  # whether a word comes into a relay of its in-port first
    queue: int  # words that wait for a sink
    loses: bool  # whether links have no ready, so that one that is dead loses words
    dies: IntArray  # (faults, 3): node, out-port or NONE for its sink, and from which cycle on


class Routers(NamedTuple):
    """The registers of all routers, and after them what is known within a cycle."""

    slot_row: IntArray  # (nodes, slots): NONE in one that is free
    slot_word: IntArray
    head: IntArray  # the slot of the oldest word
    pending: IntArray  # a bit for each copy of the head still to be sent
    occupied: IntArray  # slots
    relayed: IntArray  # words in relays
    relay_length: IntArray  # (nodes, requesters)
    relay_row: IntArray  # (nodes, requesters, RELAY): the oldest word first
    relay_word: IntArray
    queue_length: IntArray
    queue_first: IntArray  # the slot of the oldest word
    queue_row: IntArray  # (nodes, slots)
    queue_word: IntArray
    requesting: IntArray  # a bit for each requester
    fits: IntArray  # a bit for each offered copy for which the receiver has room
    requested_row: IntArray  # (nodes, requesters): of the word that is offered
    requested_word: IntArray
    accepted: IntArray  # the requester whose word is accepted, or NONE
    dead: IntArray  # (nodes, out-ports and one more): whether a link, or last the sink, is dead


class Counts(runs.Counts):
    """A record of what was counted so far."""

    occupied: int  # slots of routers and relays
    taken: int  # transfers at all in-ports and inject streams
    passed: int  # out of relays
    queued: int  # into queues


class Log(NamedTuple):
    """What a run counts and lists."""

    counts: Counts
    arrival: IntArray  # (words, nodes), or none
    events: IntArray  # (5, room): cycle, node, port, row, word; or none
    signals: IntArray  # (cycles, streams): what they show; or none


def lay_out(program: Program, faults: Faults = NO_FAULTS) -> Fixed:
    """What never changes, of a program."""
    network, sends, in_port = program.network, program.send_port.shape[1], _in_ports(program)
    requesters = (in_port != NONE).sum(axis=1)
    if max(sends, int(requesters.max())) > _MOST:
        raise InputError(
            f"{network.spec}: the cycle model allows {_MOST} sends of a word, and as many in-ports "
            "of a router"
        )
    requester = np.full((network.nodes, program.inject + 1), NONE, dtype=np.int32)
    node, number = np.nonzero(in_port != NONE)
    requester[node, in_port[node, number]] = number
    copies = np.column_stack([program.delivers, program.send_port != NOTHING])
    # The copy for the node itself has neither port nor code.
    out_port, code = (
        np.pad(of_sends, ((0, 0), (1, 0)), constant_values=NOTHING).astype(np.int32)
        for of_sends in (program.send_port, program.send_code)
    )
    return Fixed(
        far_node=network.neighbour.astype(np.int32),
        far_requester=requester[network.neighbour, network.arrival],
        far_table=program.table[network.neighbour].astype(np.int32),
        row_of_code=program.row_of_code.astype(np.int32),
        out_port=out_port,
        code=code,
        copies=copies @ (1 << np.arange(sends + 1, dtype=np.int64)),
        in_port=in_port,
        requesters=requesters,
        own_port=program.inject,
        one_port=program.ports == "one",
        relays=program.config.link_registers == 1,
        queue=program.config.queue,
        loses=program.config.always_ready,
        dies=_of_faults(network, faults),
    )


def _of_faults(network: Network, faults: Faults) -> IntArray:
    rows = [(node, NONE, cycle) for node, cycle in faults.sinks.items()]
    for ends, cycle in faults.links.items():
        rows += [(*link, cycle) for link in sorted(links_between(network, *ends))]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _in_ports(program: Program) -> IntArray:
    """The in-ports of each node on which words arrive, and the inject stream where it may send."""
    in_port = np.full((len(program.tables), program.inject + 1), NONE, dtype=np.int32)
    for number, table in enumerate(program.tables):
        used = [port.number for port in table.in_ports] + [program.inject] * (table.trees > 0)
        in_port[number, : len(used)] = used
    return in_port[program.table]


def reset(program: Program) -> Routers:
    """The routers after reset."""
    nodes, queue = program.network.nodes, program.config.queue
    requesters = program.inject + 1
    relays = requesters if program.config.link_registers else 0
    return new_arrays(
        Routers,
        {
            "pending occupied relayed": (nodes,),
            "queue_length queue_first requesting fits accepted": (nodes,),
            "slot_word": (nodes, SLOTS),
            "relay_length": (nodes, relays),
            "relay_row relay_word": (nodes, relays, RELAY),
            "queue_row queue_word": (nodes, queue),
            "requested_row requested_word": (nodes, requesters),
            "dead": (nodes, program.network.neighbour.shape[1] + 1),
        },
        slot_row=np.full((nodes, SLOTS), NONE, dtype=np.int64),
        head=np.full(nodes, NONE, dtype=np.int64),
    )
