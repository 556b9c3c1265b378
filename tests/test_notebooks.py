"""The notebooks run from their first cell to their last, and are kept with what they show today."""

import importlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from test_pictures import drawn

from noc.research.papers.printed import REFERENCES

NOTEBOOKS = sorted((Path(__file__).parent.parent / "docs" / "notebooks").glob("*.ipynb"))

PICTURE = "image/svg+xml"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What runs a notebook."""
    pytest.importorskip("IPython", reason="needs IPython, from PyPI")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "bench"))
    return importlib.import_module("notebooks").run


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def shown(notebook: dict[str, Any]) -> list[Any]:
    """What stands in the cells and below them."""
    parts: list[Any] = []
    for cell in notebook["cells"]:
        parts.append("".join(cell["source"]))
        for output in cell.get("outputs", ()):
            picture = output.get("data", {}).get(PICTURE)
            # Versions of the library place its parts apart.
            parts.append(drawn(StringIO(picture)) if picture else output)
    return parts


@pytest.mark.cases(2)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_what_it_shows(path: Path, run: Any) -> None:
    assert shown(run(path)) == shown(read(path)), "run bench/notebooks.py"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_kept_is_small_and_plain(path: Path) -> None:
    cells = read(path)["cells"]
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    pictures = [data[PICTURE] for data in outputs if data]
    assert sum(map(len, pictures)) < 250_000
    assert len(pictures) >= 2
    # Viewers take style away, which only what moves cannot do without: shapes would be black.
    assert not [text for text in pictures if " style=" in text and "@keyframes" not in text]
    if path.stem == "lecture":
        titles = [cell for cell in cells if "".join(cell["source"]).startswith("## ")]
        # All but the table are pictures; the exercises come last.
        assert (len(titles), len(pictures)) == (9, 7)


def test_each_paper_has_a_notebook() -> None:
    assert {path.stem.replace("_", "-") for path in NOTEBOOKS} == {*REFERENCES, "lecture"}


@pytest.mark.parametrize(("kept", "wrong"), [(">0100<", ">0101<"), ("all-port 9", "all-port 8")])
def test_another_output_is_seen(kept: str, wrong: str) -> None:
    text = NOTEBOOKS[-1].read_text(encoding="utf-8")
    assert kept in text
    assert shown(json.loads(text.replace(kept, wrong, 1))) != shown(json.loads(text))


def test_a_cell_that_fails_is_seen(tmp_path: Path, run: Any) -> None:
    notebook = read(NOTEBOOKS[0])
    notebook["cells"][-1]["source"] = ["assert 1 == 2"]
    path = tmp_path / "wrong.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    with pytest.raises(AssertionError):
        run(path)
