"""What the operations of the network in the folder above are, as its manifest.json names them."""

from functools import reduce

from folder import MANIFEST, NODES, RETURNED

OPERATIONS = MANIFEST["operations"]
WIDTH = MANIFEST["width"]
LABELS = [node["label"] for node in NODES]


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
        facts = MANIFEST["operation_facts"][name]
        self.name, self.number = name, OPERATIONS[name]
        self.group, self.operator = facts["group"], facts.get("operator", "")
        self.members = sorted(LABELS.index(label) for label in MANIFEST["groups"][self.group])
        self.joined, self.to_node = facts["joined"], facts["to"] == "node"

    def senders(self) -> list[int]:
        """The nodes that can give such words."""
        if self.joined:
            return self.members
        return [node for node in range(len(NODES)) if "inject" in NODES[node]]

    def receivers(self, sender: int, node: int) -> list[int]:
        """The nodes that get a word, or a result."""
        if self.to_node:
            return [node]
        return [n for n in self.members if n != sender or self.joined or RETURNED]

    def result(self, words: list[int]) -> int | None:
        """What words of all members become; None where that is not known here."""
        return reduce(OPERATORS[self.operator], words) if self.operator in OPERATORS else None


LISTED = [Operation(name) for name in OPERATIONS]
