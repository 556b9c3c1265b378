"""The package's operators, which combine two words; a user's bring a component."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Fragment, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.errors import InputError
from noc.programs.operators import OPERATORS

__all__ = ["COMBINE", "check_operator"]


def _least(less: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    return lambda a, b: Mux(less(a, b), a, b)


#: Each gives the combination of two words of equal width.
COMBINE: dict[str, Callable[[Value, Value], Value]] = {
    "sum": lambda a, b: (a + b)[: len(a)],
    "min": _least(lambda a, b: a < b),
    "max": _least(lambda a, b: a > b),
    "min_signed": _least(lambda a, b: a.as_signed() < b.as_signed()),
    "max_signed": _least(lambda a, b: a.as_signed() > b.as_signed()),
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
    "bxor": lambda a, b: a ^ b,
}


def check_operator(name: str, width: int) -> None:
    """Refuse a user's operator whose component has other ports than it must."""
    build = OPERATORS[name].build
    if build is None:
        return
    part: Any = build(width)
    wanted = wiring.Signature({"a": In(width), "b": In(width), "o": Out(width)})
    is_component = isinstance(part, wiring.Component)
    if is_component:
        # Amaranth warns of what is never elaborated.
        Fragment.get(part, None)  # type: ignore[no-untyped-call]
    if not is_component or not wanted.is_compliant(part):
        raise InputError(
            f"operator {name!r}: build({width}) must give a component with the ports a and b, "
            f"In({width}), and o, Out({width})"
        )
