"""The order of the pages: that of the lists in docs/index.md, which GitHub shows as well."""

import re
from collections.abc import Iterator

from sphinx.application import Sphinx

__all__ = ["setup"]

_SECTION = re.compile(r"^## (.+)\n((?:.*\n)*?)(?=## |\Z)", re.MULTILINE)
_ENTRY = re.compile(r"^- \[([^]]+)\]\(([^)]+)\.(?:md|ipynb)\)", re.MULTILINE)


def _add_toctrees(app: Sphinx, docname: str, content: list[str]) -> None:
    """Give each section of the first page a table of contents, which stands at the side only."""
    if docname == app.config.root_doc:
        content[0] += "".join(_toctrees(content[0]))


def _toctrees(text: str) -> Iterator[str]:
    for caption, body in _SECTION.findall(text):
        entries = "".join(f"{title} <{page}>\n" for title, page in _ENTRY.findall(body))
        yield f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{entries}```\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done with the first page."""
    app.connect("source-read", _add_toctrees)
    return {"parallel_read_safe": True}
