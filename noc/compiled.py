"""Compilation of inner loops, with their types kept."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, **options: bool) -> Function:
    """Compile a function to machine code at its first call, kept for later processes.

    Where nothing can be kept, because neither the package nor the home directory can be written,
    it is compiled again in each process.
    """
    # The stubs of numba leave some options out.
    njit: Any = numba.njit
    try:
        return cast(Function, njit(cache=True, **options)(function))
    except RuntimeError:
        return cast(Function, njit(**options)(function))
