"""The round-robin arbiter of the direct fabric, compiled: a binary tree in one number.

The requesters ``first`` to ``end`` are halved at ``middle``, and the bit of that number is the
pointer: it is 1 if the second half is named.
"""

from noc.compiled import inlined

__all__ = ["move_pointers", "pick"]


@inlined
def _middle(first: int, end: int) -> int:
    """Where the second half begins; the first is rounded up."""
    return first + (end - first + 1) // 2


@inlined
def pick(requesting: int, pointers: int, requesters: int) -> int:
    """Who is granted of those that request: of two halves the one that does, or that is named."""
    first, end = 0, requesters
    while end - first > 1:
        middle = _middle(first, end)
        in_first = (requesting & ((1 << middle) - (1 << first))) != 0
        in_second = (requesting & ((1 << end) - (1 << middle))) != 0
        if in_second and (not in_first or pointers >> middle & 1):
            first = middle
        else:
            end = middle
    return first


@inlined
def move_pointers(pointers: int, requesters: int, winner: int) -> int:
    """The pointers after a grant: at each level that it came through they name the other half."""
    first, end = 0, requesters
    while end - first > 1:
        middle = _middle(first, end)
        if winner >= middle:
            pointers &= ~(1 << middle)
            first = middle
        else:
            pointers |= 1 << middle
            end = middle
    return pointers
