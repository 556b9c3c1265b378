"""Write the output folder, whole or not at all."""

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from noc.design import Design
from noc.emit.manifest import manifest, program_document
from noc.emit.verilog import modules, router_name
from noc.errors import InputError
from noc.programs.table import RouterTable

__all__ = ["check_folder", "contents", "replaced", "write"]

BENCH_FILES = ("run.py", "broadcast.py")


def contents(design: Design) -> dict[str, str]:
    """Every file of the folder by its path, the manifest last."""
    made = modules(design.fabric, width=design.width)
    files = {f"{module.name}.v": module.text for module in made}
    for number, table in enumerate(design.fabric.tables):
        files[f"rom/{router_name(design.fabric, number)}.txt"] = _rom_text(design, table)
    files["program.json"] = _json(program_document(design))
    bench = resources.files("noc.emit") / "bench"
    for name in BENCH_FILES:
        files[f"bench/{name}"] = (bench / name).read_text(encoding="utf-8")
    files["manifest.json"] = _json(manifest(design, [*files, "manifest.json"]))
    return files


def write(design: Design, folder: Path) -> dict[str, Any]:
    """Write the folder and return the manifest.

    The folder may be new, empty, or one that was written before, which is replaced. Nothing is
    left behind if the writing fails.
    """
    check_folder(folder)
    files = contents(design)
    with replaced(folder) as staging:
        for name, text in files.items():
            path = staging / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    result: dict[str, Any] = json.loads(files["manifest.json"])
    return result


@contextlib.contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """An empty folder to fill; it takes the place of ``folder`` at the end, unless that fails."""
    staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield staging
        staging.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        staging.rename(folder)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise


def check_folder(
    folder: Path, *, marker: str = "manifest.json", command: str = "noc generate"
) -> None:
    """Refuse a folder that cannot be written, or that holds somebody's work.

    Parameters
    ----------
    folder : Path
        The folder.
    marker : str
        A file that only the command writes.
    command : str
        The command that may replace what it wrote before.
    """
    if not folder.parent.is_dir():
        raise InputError(f"-o {folder}: there is no directory {folder.parent}")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"-o {folder}: is a file; a directory is needed")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / marker).is_file():
        raise InputError(f"-o {folder}: is not empty and was not written by {command}")


def _json(document: dict[str, Any]) -> str:
    """One line for each entry of a list, so that a person can read it and diff it."""
    lines = ["{"]
    for key, value in document.items():
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list) and value:
            rows = ",\n  ".join(json.dumps(entry, ensure_ascii=False) for entry in value)
            text = f"[\n  {rows}\n ]"
        lines.append(f" {json.dumps(key)}: {text},")
    lines[-1] = lines[-1].rstrip(",")
    return "\n".join([*lines, "}", ""])


def _rom_text(design: Design, table: RouterTable) -> str:
    """The table of a router as a person reads it."""
    net = design.network
    lines = ["# code  class  deliver  sends: out-port>code at the neighbour"]
    for code, entry in enumerate(table.entries):
        sends = "  ".join(f"{net.out_ports[port]}>{far}" for port, far in entry.sends) or "-"
        own = "  (own words)" if code >= table.arriving else ""
        lines.append(
            f"{code:6}  {entry.class_:5}  {'yes' if entry.deliver else 'no':7}  {sends}{own}"
        )
    return "\n".join([*lines, ""])
