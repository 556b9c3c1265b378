"""Compilation of inner loops, with their types kept."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function to machine code at its first call, kept for later processes."""
    return cast(Function, njit(cache=True)(function))
