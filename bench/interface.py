"""The lists of names on the pages docs/interface_*.md: python bench/interface.py."""

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

from tables import DOCS

#: The heading of a module, its list as far as it has one, and the directive for the site.
_MODULE = re.compile(
    r"^(?P<head>## `(?P<name>[\w.]+)`\n\n)(<!-- names -->.*?<!-- end -->\n\n)?(?=```\{eval-rst\})",
    re.MULTILINE | re.DOTALL,
)

_ROLE = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")


def pages() -> list[Path]:
    """The pages that list modules."""
    return sorted(DOCS.glob("interface_*.md"))


def fill(text: str) -> str:
    """The text of a page with the lists of today."""
    return _MODULE.sub(lambda match: match["head"] + _listed(match["name"]), text)


def _listed(name: str) -> str:
    module = importlib.import_module(name)
    rows = (f"- `{each}`: {first_sentence(module, each)}\n" for each in module.__all__)
    return f"<!-- names -->\n\n{''.join(rows)}\n<!-- end -->\n\n"


def first_sentence(module: ModuleType, name: str) -> str:
    """What a name of a module is, in the words of its docstring or of the comment above it."""
    thing = getattr(module, name)
    # An object of another type has the docstring of its type.
    own = inspect.isroutine(thing) or inspect.isclass(thing)
    text = (inspect.getdoc(thing) if own else None) or _comment(module, name)
    if not text:
        raise LookupError(f"{module.__name__}.{name} has no docstring and no #: comment")
    first = re.split(r"\n\s*\n|(?<=\.)\s", text.strip(), maxsplit=1)[0]
    plain = _ROLE.sub(r"`\1`", " ".join(first.split())).replace("``", "`")
    return plain if plain.endswith((".", ":")) else f"{plain}."


def _comment(module: ModuleType, name: str) -> str:
    """The lines with ``#:`` above a name, in the module that it is assigned in."""
    source = inspect.getsource(module)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _comment(importlib.import_module(node.module), alias.name)
    above = re.search(rf"((?:^#:.*\n)+)^(?:\w+, )*{name}\b[^=\n]*=", source, re.MULTILINE)
    return re.sub(r"^#: ?", "", above[1], flags=re.MULTILINE) if above else ""


if __name__ == "__main__":
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (filled := fill(text)) != text:
            page.write_text(filled, encoding="utf-8")
            print(f"wrote {page}")
