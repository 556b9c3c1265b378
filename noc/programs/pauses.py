"""How all nodes of the timetable fabric stand still, and move on, in the same cycles.

Each node tells whether one of its queues is full; a tree of registers brings that to one place.
From there, in each cycle, another tree brings to all nodes whether they move on, after the same
number of cycles to each.
"""

#: How many registers one of these trees joins, or leads to, at a time.
FAN = 4


def tree_sizes(nodes: int) -> list[int]:
    """The registers on each level of such a tree, from below the nodes to the last one."""
    sizes = [-(-nodes // FAN)]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // FAN))
    return sizes


def count_levels(nodes: int) -> int:
    """Cycles that a tree takes, either way."""
    return len(tree_sizes(nodes))
