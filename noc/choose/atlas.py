"""The atlas: a table of measured designs that comes with the package."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path

from noc.sweep import Point, Row, read_table
from noc.sweep.steps.model import STEADY
from noc.sweep.table import point_of

__all__ = ["ATLAS", "Atlas", "Known", "Load", "read_atlas", "shape_of"]

#: Made by ``noc sweep bench/atlas.toml -o noc/data/atlas.csv``.
ATLAS = Path(str(resources.files("noc"))) / "data" / "atlas.csv"


@dataclass(frozen=True)
class Load:
    """What a design does at a load.

    Parameters
    ----------
    carried : float
        Words a cycle that reach every other node.
    latency : float or None
        Cycles from a word's coming to its last receiver, in the mean; None where words wait longer
        and longer.
    """

    carried: float
    latency: float | None


@dataclass(frozen=True)
class Known:
    """What the atlas says of a design, whatever its width.

    Parameters
    ----------
    nodes, links, degree : int
        Of its network.
    buffers : (int, int)
        In the ordered fabric, those with room for one word, and for two.
    cycles : float
        Cycles of a word that travels alone, in the mean over the sources.
    loads : mapping of float to Load
        What was measured, by load.
    """

    nodes: int
    links: int
    degree: int
    buffers: tuple[int, int]
    cycles: float
    loads: dict[float, Load] = field(default_factory=dict, hash=False)

    @property
    def carries(self) -> float:
        """The greatest load that was measured and is carried; if none is, what is left of them."""
        kept = [load for load, run in self.loads.items() if run.carried >= STEADY * load]
        return max(kept) if kept else min(run.carried for run in self.loads.values())


@dataclass(frozen=True)
class Atlas:
    """The rows of the table by what they are about.

    Parameters
    ----------
    designs : mapping of Point to Known
        Trees and loads, by design at any width (``shape_of``).
    luts, mhz : mapping of (Point, str) to number
        LUTs and clock of whole networks, by design and family of chips.
    """

    designs: Mapping[Point, Known]
    luts: Mapping[tuple[Point, str], int]
    mhz: Mapping[tuple[Point, str], float]


def shape_of(point: Point) -> Point:
    """The design at the usual width: trees and cycles are the same at any."""
    return replace(point, width=Point.width)


def read_atlas(path: Path = ATLAS) -> Atlas:
    """The table of a file, without networks with operations: questions are about broadcasts."""
    rows = read_table(path)
    return _sorted(row for row in rows if not row["refused"] and not row["operations"])


def _sorted(rows: Iterable[Row]) -> Atlas:
    designs: dict[Point, Known] = {}
    luts: dict[tuple[Point, str], int] = {}
    mhz: dict[tuple[Point, str], float] = {}
    for row in rows:
        point = point_of(row)
        if row["cycles_mean"]:
            _add(designs, shape_of(point), row)
        elif row["measured"] != "router":
            luts[point, row["target"]] = int(row["lut"])
            if row["mhz"]:
                mhz[point, row["target"]] = float(row["mhz"])
    return Atlas(designs, luts, mhz)


def _add(designs: dict[Point, Known], shape: Point, row: Row) -> None:
    """A row of the cycle model."""
    nodes, links, degree = (int(row[name]) for name in ("nodes", "links", "degree"))
    buffers = int(row["buffers_one"] or 0), int(row["buffers_two"] or 0)
    known = Known(nodes, links, degree, buffers, float(row["cycles_mean"]))
    known = designs.setdefault(shape, known)
    latency = float(row["latency_mean"]) if row["latency_mean"] else None
    known.loads[float(row["load"])] = Load(float(row["carried"]), latency)
