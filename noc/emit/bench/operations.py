"""The operations of the network in the folder above, as manifest.json describes them.

Without a list of operations there is one: each word is broadcast to all nodes, or in an exchange is
for the node of its stream and phase.
"""

from functools import reduce

from folder import ENDPOINTS, EXCHANGE, LABELS, MANIFEST, NODES, RETURNED, SOURCES
from latency import count_cycles

GROUPS = MANIFEST.get("groups") or {"all": LABELS}
FACTS = MANIFEST.get("operation_facts") or {
    EXCHANGE or "broadcast": {
        "kind": "send" if EXCHANGE else "broadcast",
        "group": "all",
        "joined": False,
        "to": "node" if EXCHANGE else "group",
    }
}
#: Bits of the data of a word.
WIDTH = (ENDPOINTS or {}).get("width", MANIFEST["width"])


def signed(word: int) -> int:
    """A word as a number with a sign."""
    return word - (word >> WIDTH - 1 << WIDTH)


OPERATORS = {
    "sum": lambda a, b: (a + b) % 2**WIDTH,
    "min": min,
    "max": max,
    "min_signed": lambda a, b: min(a, b, key=signed),
    "max_signed": lambda a, b: max(a, b, key=signed),
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
    "bxor": lambda a, b: a ^ b,
}


class Operation:
    """One operation, by its name: what it is, and the nodes that it concerns."""

    def __init__(self, name: str) -> None:
        facts = FACTS[name]
        self.name, self.number = name, MANIFEST.get("operations", {name: 0})[name]
        self.group, self.operator = facts["group"], facts.get("operator", "")
        self.members = sorted(LABELS.index(label) for label in GROUPS[self.group])
        self.joined, self.to_node = facts["joined"], facts["to"] == "node"
        #: Whether it is known here what data come out.
        self.known = not self.joined or self.operator in OPERATORS

    def senders(self) -> list[int]:
        """The nodes that can give such words."""
        return self.members if self.joined else SOURCES

    def receivers(self, sender: int, node: int) -> list[int]:
        """The nodes that get a word, or a result."""
        if self.to_node:
            return [node]
        return [n for n in self.members if n != sender or self.joined or RETURNED]

    def latency(self, sender: int, node: int) -> dict[int, int]:
        """Cycles of a word alone, or of one of each member, to each node that gets it."""
        if self.joined:
            joined = MANIFEST["joined"][self.group]
            cycles = {n: joined + entry["down"] for n, entry in enumerate(NODES)}
        else:
            cycles = count_cycles(sender)
        return {n: cycles[n] for n in self.receivers(sender, node)}

    def result(self, words: list[int]) -> int | None:
        """What words of all members become; None where that is not known here."""
        return reduce(OPERATORS[self.operator], words) if self.operator in OPERATORS else None


#: By their numbers.
LISTED = sorted((Operation(name) for name in FACTS), key=lambda each: each.number)
