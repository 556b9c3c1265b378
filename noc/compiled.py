"""Compilation of inner loops, with their types kept."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numba

from noc.caches import cache_folder

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, **options: bool) -> Function:
    """Compile a function to machine code at its first call, kept for later processes.

    It is kept in a folder of the user: one in the package would outlive it. Where nothing can be
    kept, because that cannot be written, it is compiled again in each process.
    """
    # The stubs of numba leave some options out.
    njit: Any = numba.njit
    with _kept() as kept:
        return cast(Function, njit(cache=kept, **options)(function))


@contextlib.contextmanager
def _kept() -> Iterator[bool]:
    """Whether anything is kept; the folder, unless the user names one, is only for this."""
    config: Any = numba.config
    asked = config.CACHE_DIR
    folder = asked or cache_folder("numba")
    config.CACHE_DIR = str(folder or "")
    try:
        yield bool(folder)
    finally:
        config.CACHE_DIR = asked
