"""Compilation of inner loops, with their types kept."""

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
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
    folder = asked or cache_folder(f"numba/{_sources()}")
    config.CACHE_DIR = str(folder or "")
    try:
        yield bool(folder)
    finally:
        config.CACHE_DIR = asked


@cache
def _sources() -> str:
    """A name for the sources of all compiled functions.

    Numba looks at the one file that a function stands in. But what it keeps holds the code of
    functions that are called in other files, and names classes that may not exist any more.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        source = path.read_bytes()
        if b"noc.compiled" in source:
            digest.update(source)
    return digest.hexdigest()[:16]
