"""Plug-ins: a user's own networks, tree algorithms, traffic and operators, seen by all commands.

A plug-in is a Python module, a file or a part of an installed package, that has one or several of
these, as the modules of this package have them:

``FAMILIES``
    A tuple of :class:`~noc.networks.NetworkFamily`.
``ALGORITHMS``
    A tuple of :class:`~noc.trees.Algorithm`.
``TRAFFIC``
    A tuple of :class:`~noc.model.TrafficPattern`.
``OPERATORS``
    A tuple of :class:`~noc.programs.operators.Operator`.

An installed package names its module in the entry-point group ``arbornoc.plugins``. The files in
the environment variable ``NOC_PLUGINS`` are loaded too, so that processes see the plug-ins of the
one that started them.
"""

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from noc.errors import InputError
from noc.model import TRAFFIC, TrafficPattern, register_traffic
from noc.networks import FAMILIES, NetworkFamily, register_family
from noc.programs.operators import OPERATORS, Operator, register_operator
from noc.registry import failure
from noc.trees import ALGORITHMS, Algorithm, register_algorithm

__all__ = ["GROUP", "VARIABLE", "load_entry", "load_installed", "load_plugin", "loaded"]

#: Where installed packages name their plug-ins.
GROUP = "arbornoc.plugins"

#: Files of plug-ins, with the separator of the system's paths between them.
VARIABLE = "NOC_PLUGINS"

#: What a plug-in has, of which type, and how it is registered.
_PARTS: dict[str, tuple[type, Any]] = {
    "FAMILIES": (NetworkFamily, register_family),
    "ALGORITHMS": (Algorithm, register_algorithm),
    "TRAFFIC": (TrafficPattern, register_traffic),
    "OPERATORS": (Operator, register_operator),
}
_REGISTRIES = (FAMILIES, ALGORITHMS, TRAFFIC, OPERATORS)

#: By name, the file or the module of each plug-in that is loaded.
_loaded: dict[str, str] = {}


def load_plugin(path: str | Path) -> None:
    """Load a plug-in from a file, unless it is loaded already."""
    file = str(Path(path).resolve())
    if file not in _loaded.values():
        _register(str(path), file, _module_of(str(path), file))


def load_installed() -> None:
    """Load the plug-ins of installed packages that are not loaded yet."""
    for entry in entry_points(group=GROUP):
        if entry.value not in _loaded.values():
            module = load_entry(entry, f"plug-in {entry.name}")
            _register(entry.name, entry.value, module)


@contextlib.contextmanager
def loaded(paths: Sequence[str | Path]) -> Iterator[None]:
    """Within it, the plug-ins of files, of the environment and of installed packages are loaded.

    Processes that are started within see them too.
    """
    before, inherited = set(_loaded), os.environ.get(VARIABLE)
    files = [*filter(None, (inherited or "").split(os.pathsep)), *paths]
    try:
        load_installed()
        for path in files:
            load_plugin(path)
        if files:
            os.environ[VARIABLE] = os.pathsep.join(str(Path(path).resolve()) for path in files)
        yield
    finally:
        for name in set(_loaded) - before:
            _remove(name)
        if inherited is not None:
            os.environ[VARIABLE] = inherited
        else:
            os.environ.pop(VARIABLE, None)


def _module_of(name: str, file: str) -> ModuleType:
    """Run a file as a module."""
    where = f"plug-in {name}"
    if not Path(file).is_file():
        reason = "is no file" if Path(file).exists() else "there is no such file"
        raise InputError(f"{where}: {reason}")
    unique = f"noc_plugin_{hashlib.sha256(file.encode()).hexdigest()[:16]}"
    spec = spec_from_file_location(unique, file)
    if not isinstance(spec, ModuleSpec) or spec.loader is None:
        raise InputError(f"{where}: the name of a Python file ends in .py")
    module = module_from_spec(spec)
    # Before it runs: data classes and pickles look their modules up.
    sys.modules[unique] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[unique]
        raise failure(error, where, file) from error
    return module


def load_entry(entry: EntryPoint, where: str) -> ModuleType:
    """The module that an installed package names; an error in it is one line that begins so."""
    try:
        module = entry.load()
    except (Exception, SystemExit) as error:
        raise failure(error, where, None) from error
    if not isinstance(module, ModuleType):
        raise InputError(f"{where}: {entry.value} is no module")
    return module


def _register(name: str, origin: str, module: ModuleType) -> None:
    where = f"plug-in {name}"
    parts = {part: getattr(module, part) for part in _PARTS if hasattr(module, part)}
    if not parts:
        raise InputError(f"{where}: has none of {', '.join(_PARTS)}")
    try:
        for part, entries in parts.items():
            kind, register = _PARTS[part]
            if not isinstance(entries, tuple | list):
                raise InputError(
                    f"{where}: {part} must be a tuple, not of type {type(entries).__name__}"
                )
            for entry in entries:
                if not isinstance(entry, kind):
                    raise InputError(
                        f"{where}: {part} must hold {kind.__name__} only, not type "
                        f"{type(entry).__name__}"
                    )
                register(entry, plugin=name)
    except InputError:
        _remove(name)
        raise
    _loaded[name] = origin


def _remove(name: str) -> None:
    for registry in _REGISTRIES:
        registry.remove(name)
    _loaded.pop(name, None)
