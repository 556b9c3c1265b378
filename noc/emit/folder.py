"""Write the output folder, whole or not at all."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

from noc.design import Design
from noc.emit.manifest import manifest, program_document
from noc.emit.replace import check_folder, replaced
from noc.emit.verilog import modules, router_name
from noc.programs.table import RouterTable

__all__ = ["check_folder", "contents", "write"]

BENCH_FILES = ("run.py", "broadcast.py", "certificate.py")


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
    for place, entry in enumerate(table.entries):
        sends = "  ".join(f"{net.out_ports[port]}>{far}" for port, far in entry.sends) or "-"
        own = "  (own words)" if place >= len(table.arriving) else ""
        lines.append(
            f"{entry.code:6}  {entry.class_:5}  {'yes' if entry.deliver else 'no':7}  {sends}{own}"
        )
    return "\n".join([*lines, ""])
