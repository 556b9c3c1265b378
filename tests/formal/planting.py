"""Copies of the hardware's sources in which one text is another."""

import importlib
import inspect
from collections.abc import Iterator, Sequence
from types import ModuleType


def listed(text: str) -> Iterator[tuple[str, tuple[str, str], list[str]]]:
    """The faults of a text: a name and words about it, below them what is right and what is not."""
    lines = text.strip("\n").splitlines()
    for title, *texts in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        name, _, words = title.partition(": ")
        right, wrong = (part.removeprefix("  ") for part in texts)
        yield name, (right, wrong), words.split(", ")


def planted(names: Sequence[str], where: str, right: str, wrong: str) -> ModuleType:
    """The last of some modules of noc, each copied with what it uses of those before it.

    In the one with the fault a text, which must occur once, is another.
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
