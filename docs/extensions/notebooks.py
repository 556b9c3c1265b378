"""Notebooks as pages, with the outputs that they are kept with."""

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from sphinx.application import Sphinx

__all__ = ["setup"]

_PICTURE = "image/svg+xml"


def _write_markdown(app: Sphinx, docname: str, content: list[str]) -> None:
    """Replace the text of a notebook by that of a page."""
    source = Path(app.env.doc2path(docname))
    if source.suffix == ".ipynb":
        first, *others = json.loads(content[0])["cells"]
        page = Path(app.outdir, docname)
        parts = [_text(first["source"]), f"This page is a notebook: {{download}}`{source.name}`"]
        parts += [part for cell in others for part in _parts(cell, page)]
        content[0] = "\n\n".join(parts)


def _parts(cell: dict[str, Any], page: Path) -> Iterator[str]:
    """A cell, and what it shows."""
    if cell["cell_type"] == "markdown":
        yield _text(cell["source"])
        return
    yield _block(_text(cell["source"]), "python")
    for output in cell["outputs"]:
        data = output.get("data", {})
        if _PICTURE in data:
            yield _picture(_text(data[_PICTURE]), page.with_name(f"{page.name}-{cell['id']}.svg"))
        else:
            yield _block(_text(data["text/plain"] if data else output["text"]), "text")


def _text(lines: str | list[str]) -> str:
    return "".join(lines)


def _block(text: str, language: str) -> str:
    return f"`````{language}\n{text.rstrip()}\n`````"


def _picture(text: str, file: Path) -> str:
    """Write a picture beside the page; its longest text, a title or more, stands for it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    parts = ElementTree.fromstring(text).iter()
    texts = [part.text or "" for part in parts if part.tag.endswith(("}text", "}desc"))]
    return f'<p><img src="{file.name}" alt="{escape(max(texts, key=len))}"></p>'


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done with notebooks."""
    app.connect("source-read", _write_markdown)
    return {"parallel_read_safe": True}
