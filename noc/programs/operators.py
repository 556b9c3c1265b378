"""Operators: what combines the data of two words into one.

Those of the package are known by name to the hardware, to the models, to ``noc.comm``, to the
self-test and to the benches of a folder, which share nothing else. An operator of a user's, or a
further one with both a component and a function here, is known to all of them by these.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from noc.errors import InputError
from noc.registry import Registry, guarded

if TYPE_CHECKING:
    from amaranth.lib import wiring

__all__ = ["BUILT_IN", "MOST_LATENCY", "OPERATORS", "Operator", "register_operator"]

#: The most cycles that an operator may take.
MOST_LATENCY = 64


@dataclass(frozen=True)
class Operator:
    """What combines the data of two words.

    Parameters
    ----------
    name : str
        How operations name it.
    summary : str
        What it does, for lists.
    model : callable, optional
        From the data of the left word, that of the right one and the width to the data of the
        result. Those of the package have none here.
    build : callable, optional
        From the width to an Amaranth component with the ports ``a`` and ``b``, both
        ``In(width)``, and ``o``, ``Out(width)``. Its registers, in the domain ``sync``, hold still
        while the network does.
    latency : int
        Cycles from ``a`` and ``b`` to ``o``.
    """

    name: str
    summary: str
    model: Callable[[int, int, int], int] | None = None
    build: "Callable[[int], wiring.Component[Any]] | None" = None
    latency: int = 0


#: All operators by name.
OPERATORS: Registry[Operator] = Registry(
    "operator",
    (
        Operator("sum", "sum, modulo 2^width"),
        Operator("min", "least number without a sign"),
        Operator("max", "greatest number without a sign"),
        Operator("min_signed", "least number with a sign"),
        Operator("max_signed", "greatest number with a sign"),
        Operator("band", "bitwise AND"),
        Operator("bor", "bitwise OR"),
        Operator("bxor", "bitwise exclusive OR"),
    ),
)


#: The names of the package's own.
BUILT_IN = tuple(OPERATORS)


def check_operator(asked: str, kind: str, name: str) -> None:
    """Refuse the lack of an operator, and one that nobody knows, where a user asks for a kind."""
    if not name:
        allowed = ", ".join(OPERATORS)
        raise InputError(f"{asked}: an operator is needed: {kind}:{allowed} are allowed")
    if name not in OPERATORS:
        raise InputError(
            f"{asked}: there is no operator {name!r}; the operators are {', '.join(OPERATORS)}"
        )


def register_operator(operator: Operator, *, plugin: str | None = None) -> None:
    """Add an operator; from then on operations know it by its name.

    Parameters
    ----------
    operator : Operator
        The operator. A name that exists is refused.
    plugin : str, optional
        Where it comes from, for messages.
    """
    where = OPERATORS.where(operator.name, plugin)
    if operator.model is None or operator.build is None:
        raise InputError(f"{where}: both model and build are needed")
    if type(operator.latency) is not int or not 0 <= operator.latency <= MOST_LATENCY:
        raise InputError(
            f"{where}: latency is {operator.latency!r}; from 0 to {MOST_LATENCY} are allowed"
        )
    inner = guarded(operator.model, where)

    def model(left: int, right: int, width: int) -> int:
        result = inner(left, right, width)
        if type(result) is not int or not 0 <= result < 1 << width:
            raise InputError(
                f"{where}: model({left}, {right}, {width}) is {result!r}, no number of {width} bits"
            )
        return result

    OPERATORS.add(replace(operator, model=model, build=guarded(operator.build, where)), plugin)
