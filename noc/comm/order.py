"""The order in which the members of a group give what is joined, which must be one."""

from noc.comm.setup import Setup
from noc.errors import InputError
from noc.programs.operations import Operation

__all__ = ["JoinOrder"]


class JoinOrder:
    """What the members of all groups gave so far.

    Networks join words of whatever operation comes; programs are told here, on every engine.

    Parameters
    ----------
    setup : Setup
        Whose groups.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        #: For each group what was given, and by whom first.
        self._given: dict[str, list[tuple[Operation, int | None, int, int]]] = {}
        #: For each group how much of that each member has given.
        self._count: dict[str, dict[int, int]] = {}

    def add(self, rank: int, operation: Operation, root: int | None, words: int) -> None:
        """A node gives a message that is joined."""
        given = self._given.setdefault(operation.group, [])
        count = self._count.setdefault(operation.group, {})
        place = count.get(rank, 0)
        count[rank] = place + 1
        if place == len(given):
            given.append((operation, root, words, rank))
        if given[place][:3] != (operation, root, words):
            raise InputError(
                f"{self._setup.name(rank)} gives {_shown(operation, root, words)} where "
                f"{self._setup.name(given[place][3])} gave {_shown(*given[place][:3])}: all "
                f"members of the group {operation.group!r} must give the same in the same order"
            )

    def count(self, rank: int, operation: Operation) -> int:
        """How many messages a node has given to the group of an operation."""
        return self._count[operation.group].get(rank, 0)

    def missing(self, operation: Operation, place: int) -> list[int]:
        """The members that have not given the message of a place."""
        count = self._count[operation.group]
        return [rank for rank in self._setup.groups[operation.group] if count.get(rank, 0) <= place]


def _shown(operation: Operation, root: int | None, words: int) -> str:
    to = "" if root is None else f" to node {root}"
    return f"{operation}{to} with {words} word{'s' * (words > 1)}"
