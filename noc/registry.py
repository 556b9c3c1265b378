"""Lists by name to which plug-ins add: network families, tree algorithms, traffic."""

import inspect
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Protocol, TypeVar

from noc.errors import InputError

__all__ = ["Named", "Registry", "failure", "guarded"]

NAME = re.compile(r"[a-z][a-z0-9-]*")


class Named(Protocol):
    """An entry of a list."""

    @property
    def name(self) -> str:
        """How users call it."""


_Entry = TypeVar("_Entry", bound=Named)
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Registry(Mapping[str, _Entry]):
    """Entries by name: those of the package, then those of plug-ins.

    ``kind`` says in messages what the entries are; ``reserved`` are other names that are taken. An
    entry point is loaded when its entry is first asked for.
    """

    def __init__(
        self, kind: str, entries: Iterable[_Entry | EntryPoint], *, reserved: Iterable[str] = ()
    ) -> None:
        self.kind = kind
        self._entries = {entry.name: entry for entry in entries}
        self._reserved = frozenset(reserved)
        self._plugins: dict[str, str] = {}

    def __getitem__(self, name: str) -> _Entry:
        entry = self._entries[name]
        if isinstance(entry, EntryPoint):
            entry = self._entries[name] = entry.load()
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<{self.kind}: {', '.join(self)}>"

    def where(self, name: str, plugin: str | None) -> str:
        """How messages name an entry that is not the package's own."""
        return f"{'' if plugin is None else f'plug-in {plugin}: '}{self.kind} {name!r}"

    def add(self, entry: _Entry, plugin: str | None) -> None:
        """Add what a plug-in has, or without one what a program registers."""
        where = self.where(entry.name, plugin)
        if not isinstance(entry.name, str) or not NAME.fullmatch(entry.name):
            raise InputError(
                f"{where}: a name begins with a small letter; small letters, digits and - follow"
            )
        if entry.name in self._entries or entry.name in self._reserved:
            owner = self.plugin_of(entry.name)
            whose = "" if owner is None else f" in plug-in {owner}"
            raise InputError(f"{where}: there is one of this name already{whose}")
        self._entries[entry.name] = entry
        if plugin is not None:
            self._plugins[entry.name] = plugin

    def plugin_of(self, name: str) -> str | None:
        """The plug-in that an entry comes from."""
        return self._plugins.get(name)

    def remove(self, plugin: str) -> None:
        """Take out what came from a plug-in."""
        for name in [name for name, owner in self._plugins.items() if owner == plugin]:
            del self._entries[name], self._plugins[name]


def guarded(function: _Function, where: str) -> _Function:
    """A function of a user's, whose exceptions become one line that says where they arose.

    What it raises as ``InputError`` is meant for its user as it is.
    """

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except InputError:
            raise
        except (Exception, SystemExit) as error:
            code = getattr(inspect.unwrap(function), "__code__", None)
            raise failure(error, where, code and code.co_filename) from error

    # The types are those of the function.
    return call  # type: ignore[return-value]


def failure(error: BaseException, where: str, file: str | None) -> InputError:
    """An exception in a user's code as one line: where, the line of the file, and what.

    ``where`` says what the code is part of. Without the ``file`` of the user's code the line is
    that where the exception arose.
    """
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename == file:
        return InputError(f"{where}: line {error.lineno}: {type(error).__name__}: {error.msg}")
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == file] or frames
    at = own[-1]
    inside = at.filename == file and Path(file).name in where
    line = f"line {at.lineno}" if inside else f"{at.filename}, line {at.lineno}"
    return InputError(f"{where}: {line}: {what}")
