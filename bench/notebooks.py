"""The outputs that the notebooks are kept with: python bench/notebooks.py."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tables import DOCS

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))

PICTURE = "image/svg+xml"


def run(path: Path) -> dict[str, Any]:
    """A notebook as Jupyter would keep it once all cells were run, in their order."""
    from IPython.core.displayhook import CapturingDisplayHook
    from IPython.core.interactiveshell import InteractiveShell

    # IPython complains of one that is active and not its own.
    os.environ.pop("VIRTUAL_ENV", None)
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    shell: Any = InteractiveShell()  # type: ignore[no-untyped-call]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            results: list[dict[str, Any]] = []
            hook: Any = CapturingDisplayHook(shell, results)  # type: ignore[no-untyped-call]
            shell.display_trap.hook = hook
            cell["outputs"] = list(_printed(shell, "".join(cell["source"])))
            cell["outputs"] += [_result(result["data"]) for result in results]
    return notebook


def _printed(shell: Any, source: str) -> Iterator[dict[str, Any]]:
    from IPython.utils.capture import capture_output

    with capture_output(display=False) as captured:
        done = shell.run_cell(source)
    done.raise_error()
    if captured.stdout:
        lines = captured.stdout.splitlines(keepends=True)
        yield {"name": "stdout", "output_type": "stream", "text": lines}


def _result(data: dict[str, str]) -> dict[str, Any]:
    """The picture of a result, or else its text; what is both would be kept twice."""
    kind = PICTURE if PICTURE in data else "text/plain"
    kept = {"data": {kind: data[kind]}, "execution_count": None, "metadata": {}}
    return {**kept, "output_type": "execute_result"}


if __name__ == "__main__":
    for notebook in NOTEBOOKS:
        kept = json.dumps(run(notebook), indent=1, ensure_ascii=False)
        notebook.write_text(f"{kept}\n", encoding="utf-8")
