"""What the elements of this example say: who gives words for each operation, and who gets them."""

from dataclasses import dataclass

from amaranth.hdl import Value
from amaranth.lib import data

from noc.design import AnyDesign
from noc.programs.operations import Operation

#: The words of each message, a power of two.
WORDS = 4

#: Times this, the numbers of neighbouring nodes are far from each other.
SPREAD = 2654435761


def members(design: AnyDesign, operation: Operation) -> list[int]:
    """The nodes of its group."""
    return list(dict(design.operations.groups)[operation.group])


def senders(design: AnyDesign, operation: Operation) -> list[int]:
    """The nodes that give a message for it, as the design counts nodes."""
    sources = list(design.program.sources)
    if design.sources == "one":
        # One at a time is for designs that see to it that the network is idle between two of them.
        return sources[:1]
    return members(design, operation) if operation.joined else sources


def named(design: AnyDesign, operation: Operation, sender: int) -> int:
    """The node that words name, where they name one: the first, or the one after the sender."""
    return 0 if operation.kind in ("reduce", "gather") else (sender + 1) % design.network.nodes


def receivers(design: AnyDesign, operation: Operation, sender: int) -> list[int]:
    """The nodes that get a word of a sender; what is joined is the word of all."""
    if operation.to_node:
        return [named(design, operation, sender)]
    own = operation.joined or design.own_words
    return [node for node in members(design, operation) if own or node != sender]


def first_number(design: AnyDesign, node: int) -> int:
    """What a node gives as its first number; the others follow, ``WORDS`` for each operation."""
    return SPREAD * (node + 1) % 2**design.width


def fields(payload: object) -> dict[str, Value]:
    """What lies in the words of a stream, by name: data, source, operation, last, node."""
    if isinstance(payload, data.View):
        return {name: payload[name] for name, _ in payload.shape()}
    return {"data": payload}


@dataclass(frozen=True)
class Part:
    """What an element has to know; of numbers with bits for each operation, the lowest first."""

    #: The first number that it gives.
    first: int
    #: The number of operations.
    operations: int
    #: A bit for each operation: whether this node gives a message; whether it has no data.
    gives: int
    barriers: int
    #: Bits of the number of a node; and for each operation the number of the node that words name.
    node_bits: int
    to: int
    #: The number of words that come.
    awaits: int


def part_of(design: AnyDesign, node: int) -> Part:
    """The part of a node."""
    listed, bits = design.operations.listed, max(1, (design.network.nodes - 1).bit_length())
    # Words call nodes by numbers that need not be those of the design.
    to = [design.numbers[named(design, operation, node)] for operation in listed]
    messages = 0
    for operation in listed:
        # What is joined comes once.
        givers = senders(design, operation)[: 1 if operation.joined else None]
        messages += sum(node in receivers(design, operation, giver) for giver in givers)
    return Part(
        first=first_number(design, node),
        operations=len(listed),
        gives=sum((node in senders(design, o)) << index for index, o in enumerate(listed)),
        barriers=sum((o.kind == "barrier") << index for index, o in enumerate(listed)),
        node_bits=bits,
        to=sum(int(number) << bits * index for index, number in enumerate(to)),
        awaits=WORDS * messages,
    )
