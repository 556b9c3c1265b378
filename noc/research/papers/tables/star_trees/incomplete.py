"""How balanced the incomplete stars' trees are: exact branch sizes, and the paper's bound.

After Chen, Tseng and Sheu (1996).
"""

from fractions import Fraction
from math import factorial

__all__ = ["balance_bound", "branch_sizes", "worst_root"]


def branch_sizes(root: tuple[int, ...], k: int) -> dict[int, int]:
    """Nodes behind each out-port of the root, counted without building the tree.

    Behind port i lie the parts B(i,j) of the root's own substar, then one part of dimension n-2
    of each other substar whose last symbol the network has; of the substar with the root's i-th
    symbol last, two. The substar with the root's first symbol last is behind port n, whole.

    Parameters
    ----------
    root : tuple of int
        The label of the root: its symbols at positions 1…n.
    k : int
        How many of the n symbols, the largest, the network has at the last position.

    >>> branch_sizes((1, 2, 3, 4), 4)
    {0: 9, 1: 8, 2: 6}
    """
    n = len(root)
    present = [symbol > n - k for symbol in root]
    others = sum(present[1:-1])
    sizes = {
        i - 2: sum(factorial(j) for j in range(i - 1, n - 1))
        + (others + present[i - 1]) * factorial(n - 2)
        for i in range(2, n)
    }
    if present[0]:
        sizes[n - 2] = factorial(n - 1)
    return sizes


def worst_root(n: int, k: int, *, first_present: bool) -> tuple[int, ...]:
    """A root at which the balance factor is greatest.

    Its port 2, which has most of its own substar behind it, gets two parts of another where any
    port does; its port n-1, which has least, gets one where any port does.

    Parameters
    ----------
    n, k : int
        The incomplete star, k from 2 to n-1.
    first_present : bool
        Whether the root's first symbol is one that the network has at the last position.
    """
    first = n - k + 1 if first_present else 1
    return first, *(symbol for symbol in range(n - 1, 0, -1) if symbol != first), n


def balance_bound(n: int, k: int, *, first_present: bool) -> Fraction:
    """The paper's upper bound of the balance factor, Theorem 2; some root attains it.

    Parameters
    ----------
    n, k : int
        The incomplete star, n from 4 up and k from 2 to n-1.
    first_present : bool
        Whether the root's first symbol is one that the network has at the last position.

    >>> balance_bound(8, 4, first_present=True)
    Fraction(7, 3)
    """
    s = int(k == n - 1)
    tail = Fraction(sum(factorial(j) for j in range(1, n - 2)), factorial(n - 2))
    if first_present:
        return (n - 1 + s * tail) / (k - 1)
    return (k + 1 + tail) / (k + s)
