"""Compilation of inner loops, with their types kept."""

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from noc.caches import cache_folder

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent


# The stubs of numba leave some options out. Nothing is called from C.
_njit: Any = partial(numba.njit, no_cfunc_wrapper=True)


def compiled(function: Function, **options: bool) -> Function:
    """Compile a function to machine code at its first call, kept for later processes.

    It is kept in a folder of the user: one in the package would outlive it. Where nothing can be
    kept, because that cannot be written, it is compiled again in each process.
    """
    with _kept(Path(function.__code__.co_filename)) as kept:
        return cast(Function, _njit(cache=kept, **options)(function))


def compiled_whole(function: Function) -> Function:
    """Compile a function and the ``inlined`` ones that it calls as one, which allocates no memory.

    Without references to count, and with everything in one function, a cycle model takes a fraction
    of the time.
    """
    return compiled(function, _nrt=False)


def inlined(function: Function) -> Function:
    """Compile a function into each ``compiled_whole`` one that calls it, and for nobody else."""
    # With an entry for Python, it would take more than twice as long.
    options = {"forceinline": True, "no_cpython_wrapper": True, "_nrt": False}
    return cast(Function, _njit(**options)(function))


@contextlib.contextmanager
def _kept(file: Path) -> Iterator[bool]:
    """Whether anything is kept; the folder, unless the user names one, is only for this.

    Numba notices a change of a function's own file only, not of what the function calls and of the
    names that it uses. What was compiled is therefore kept by the text of all files of the stage.
    """
    config: Any = numba.config
    asked = config.CACHE_DIR
    version = _digest(_PACKAGE / file.relative_to(_PACKAGE).parts[0])
    folder = Path(asked) / version if asked else cache_folder("numba", version)
    config.CACHE_DIR = str(folder or "")
    try:
        yield bool(folder)
    finally:
        config.CACHE_DIR = asked


@cache
def _digest(stage: Path) -> str:
    """A name for the text of a stage."""
    digest = hashlib.sha256()
    for file in sorted(stage.rglob("*.py")):
        digest.update(f"{file.relative_to(stage)}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:16]
