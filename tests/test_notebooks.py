"""The notebooks run from their first cell to their last, and show what they promise."""

import json
from pathlib import Path

import pytest

from noc.papers.references import REFERENCES

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

#: What a cell showed as a picture, of any kind.
PICTURES = {"image/svg+xml", "image/png", "text/html"}


def cells(path: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


@pytest.fixture(autouse=True)
def _no_other_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython complains of one that is active and not its own."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


def run(path: Path) -> int:
    """Run all cells as Jupyter would; how many of them end with a picture."""
    ipython = pytest.importorskip("IPython", reason="needs IPython, from PyPI")
    from IPython.utils.capture import capture_output

    shell = ipython.core.interactiveshell.InteractiveShell()
    pictures = 0
    for cell in cells(path):
        if cell["cell_type"] == "code":
            with capture_output() as captured:
                done = shell.run_cell("".join(cell["source"]))
            done.raise_error()
            if done.result is not None:
                data, _ = shell.display_formatter.format(done.result)
                pictures += bool(PICTURES & set(data))
            assert "Error" not in captured.stderr
    return pictures


@pytest.mark.cases(2)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    pictures = run(path)
    assert pictures >= 2
    if path.stem == "lecture":
        titles = [c for c in cells(path) if "".join(c["source"]).startswith("## ")]
        # All but the table are pictures.
        assert (len(titles), pictures) == (8, 7)


def test_each_paper_has_a_notebook() -> None:
    assert {path.stem.replace("_", "-") for path in NOTEBOOKS} == {*REFERENCES, "lecture"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_results(path: Path) -> None:
    for cell in cells(path):
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_a_cell_that_fails_is_seen(tmp_path: Path) -> None:
    document = json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))
    document["cells"][-1]["source"] = ["assert 1 == 2"]
    path = tmp_path / "wrong.ipynb"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(AssertionError):
        run(path)
