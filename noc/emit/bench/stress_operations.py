"""What stress_operations.cpp gives to the network in the folder above, and what it expects.

It tells the program what manifest.json says of nodes, words and operations.
"""

import random
from collections.abc import Iterator

from folder import MANIFEST, NODES, RETURNED, SOURCES
from operations import LABELS, LISTED, OPERATORS, Operation
from stress_plan import Round

#: For so many words alone, at most, the latency of an operation is looked at.
ALONE = 400

#: So many members of a group, at most, are absent, one at a time.
ABSENT = 16


def find_unknown() -> list[str]:
    """Operations whose results are not known here, since their operators are the user's own."""
    return [each.name for each in LISTED if each.operator and each.operator not in OPERATORS]


def count_deliveries(operation: Operation) -> float:
    """To how many nodes a word of an operation comes, or its part in a result."""
    nodes = 1 if operation.to_node else len(operation.members)
    return nodes / len(operation.members) if operation.joined else nodes


def mean_deliveries() -> float:
    """To how many nodes a word comes in the mean over the operations, and at least to one."""
    return max(1.0, sum(map(count_deliveries, LISTED)) / len(LISTED))


def draw_lone(operation: Operation, lots: random.Random) -> list[tuple[int, int]]:
    """Givers and nodes of words that are alone; one giver stands for all members."""
    givers = [-1] if operation.joined else SOURCES
    nodes = range(len(NODES)) if operation.to_node else [0]
    if len(givers) * len(nodes) <= ALONE:
        return [(giver, node) for giver in givers for node in nodes]
    return [(lots.choice(givers), lots.choice(nodes)) for _ in range(ALONE)]


def draw_absent(lots: random.Random) -> Iterator[tuple[str, str]]:
    """Groups whose words are joined, each with members that give theirs last."""
    for group in MANIFEST["joined"]:
        members = MANIFEST["groups"][group]
        for label in lots.sample(members, min(ABSENT, len(members))) if members[1:] else ():
            yield group, label


def list_plan(seed: int, rounds: list[Round]) -> Iterator[str]:
    """The lines that the program reads."""
    lots, groups = random.Random(seed), list(MANIFEST["groups"])
    yield f"seed {seed}"
    yield f"returned {RETURNED:d}"
    yield f"group_queue {MANIFEST['group_queue']}"
    for side, node in (("inject", NODES[SOURCES[0]]), ("eject", NODES[0])):
        for field in node[side]["fields"]:
            yield f"{side} {field['name']} {field['first']} {field['bits']}"
    for entry in NODES:
        yield f"node {entry.get('up', -1)} {entry['down']} {entry['label']}"
    for group, labels in MANIFEST["groups"].items():
        members = (LABELS.index(label) for label in labels)
        listed = (MANIFEST["joined"].get(group, -1), *members)
        yield " ".join(map(str, ("group", *listed)))
    for operation in LISTED:
        flags = f"{operation.joined:d} {operation.to_node:d} {operation.operator or '-'}"
        yield f"operation {operation.name} {flags} {groups.index(operation.group)}"
    for operation in LISTED:
        for giver, node in draw_lone(operation, lots):
            yield f"lone {operation.number} {giver} {node}"
    for group, label in draw_absent(lots):
        yield f"absent {groups.index(group)} {LABELS.index(label)}"
    for each in rounds:
        yield each.line
