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


def operations(design: AnyDesign) -> list[Operation]:
    """What words can ask for."""
    return list(design.operations.listed)


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
    own = operation.joined or getattr(design.config, "own_words", False)
    return [node for node in members(design, operation) if own or node != sender]


def first_number(design: AnyDesign, node: int) -> int:
    """What a node gives as its first number; the others follow, ``WORDS`` for each operation."""
    return SPREAD * (node + 1) % 2**design.width


def messages(design: AnyDesign, operation: Operation, node: int) -> int:
    """The number of messages that a node gets."""
    givers = senders(design, operation)
    if operation.joined:
        givers = givers[:1]
    return sum(node in receivers(design, operation, sender) for sender in givers)


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
    listed, bits = operations(design), max(1, (design.network.nodes - 1).bit_length())
    # Words call nodes by numbers that need not be those of the design.
    numbers = getattr(design.program, "numbers", range(design.network.nodes))
    to = (int(numbers[named(design, operation, node)]) for operation in listed)
    return Part(
        first=first_number(design, node),
        operations=len(listed),
        gives=sum((node in senders(design, o)) << place for place, o in enumerate(listed)),
        barriers=sum((o.kind == "barrier") << place for place, o in enumerate(listed)),
        node_bits=bits,
        to=sum(number << bits * place for place, number in enumerate(to)),
        awaits=WORDS * sum(messages(design, operation, node) for operation in listed),
    )
