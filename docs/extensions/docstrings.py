"""How docstrings and signatures are shown: arrays as such, and dashes as people write them."""

import re
from typing import Any

from sphinx.addnodes import desc_signature
from sphinx.application import Sphinx
from sphinx.domains.python import PyAttribute, PyProperty

__all__ = ["setup"]

_ARRAY = re.compile(
    r"~?numpy\.ndarray\[(?:tuple\[[^]]*\]|~?[\w.]+), "
    r"~?numpy\.dtype\[~?(?:numpy|typing)\.(\w+)(\[[^]]*\])?\]\]"
)

#: What people call the elements of an array; none, where they can be anything.
_ELEMENTS = {"signedinteger": "int", "unsignedinteger": "int", "float64": "float", "Any": ""}

#: After Napoleon.
_LATE = 900


def _shorten(*arguments: object) -> tuple[str | None, ...]:
    """Signature and result without the inner life of numpy's types."""
    *_, signature, result = arguments
    return tuple(
        _shortened(text) if isinstance(text, str) else None for text in (signature, result)
    )


def _shortened(text: str) -> str:
    return _ARRAY.sub(_named, text)


def _named(found: re.Match[str]) -> str:
    element = _ELEMENTS.get(found[1], found[1])
    return f"array[{element}]" if element else "array"


class _Short:
    """Of an attribute or a property: its type stands in an option."""

    options: dict[str, Any]

    def handle_signature(self, sig: str, signode: desc_signature) -> tuple[str, str]:
        """Parse the signature."""
        if "type" in self.options:
            self.options["type"] = _shortened(self.options["type"])
        return super().handle_signature(sig, signode)  # type: ignore[misc,no-any-return]


class _Attribute(_Short, PyAttribute):  # type: ignore[misc]
    """An attribute."""


class _Property(_Short, PyProperty):  # type: ignore[misc]
    """A property."""


def _write_dashes(*arguments: object) -> None:
    """Replace what Napoleon writes between the name of a parameter and its meaning."""
    *_, lines = arguments
    assert isinstance(lines, list)
    lines[:] = [re.sub(r"(\*\)?) -- ", "\\1 \N{EN DASH} ", line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done with them."""
    app.connect("autodoc-process-signature", _shorten)
    app.add_directive_to_domain("py", "attribute", _Attribute, override=True)
    app.add_directive_to_domain("py", "property", _Property, override=True)
    app.connect("autodoc-process-docstring", _write_dashes, priority=_LATE)
    return {"parallel_read_safe": True}
