"""Copies of the hardware's sources in which one text is another."""

import importlib
import inspect
from collections.abc import Sequence
from types import ModuleType

__all__ = ["planted"]


def planted(names: Sequence[str], where: str, right: str, wrong: str) -> ModuleType:
    """The last of some modules of noc, each copied with what it uses of those before it.

    Parameters
    ----------
    names : sequence of str
        The modules.
    where : str
        The one with the fault.
    right, wrong : str
        The text there, which occurs once, and what stands in its place.
    """
    if where not in names:
        raise ValueError(f"{where} is not among {names}")
    copies: dict[str, object] = {}
    for name in names:
        original = importlib.import_module(f"noc.{name}")
        source = inspect.getsource(original)
        if name == where:
            if source.count(right) != 1:
                raise ValueError(f"the text to replace is not once in {name}: {right}")
            source = source.replace(right, wrong)
        module = ModuleType(f"faulty_{name}")
        # Amaranth looks for its options in the first line of the file.
        exec(compile(source, inspect.getfile(original), "exec"), module.__dict__)
        module.__dict__.update(copies)
        copies |= {
            name: value
            for name, value in vars(module).items()
            if not name.startswith("_")
            and getattr(value, "__module__", module.__name__) == module.__name__
        }
    return module
