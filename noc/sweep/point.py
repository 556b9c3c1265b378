"""A point of a sweep: one design, as the options of the commands describe it."""

from dataclasses import dataclass, fields, replace
from functools import cache

from noc.design import USUAL, AnyDesign, build_design, fabric_for, read_sources
from noc.errors import InputError
from noc.networks import build_network

__all__ = ["DESIGN", "Point"]


@dataclass(frozen=True)
class Point:
    """A design by the words of a user; None is what the commands choose by themselves.

    Parameters
    ----------
    network : str
        Its name.
    fabric, algorithm, sources, ports, vcs, rom, root, own_words : str, optional
        As the options of ``noc generate``; ``sources`` may be labels with commas between them.
    width, link_registers, queue : int
        Likewise.
    source_numbers : bool, optional
        Likewise.
    """

    network: str
    fabric: str | None = None
    algorithm: str | None = None
    sources: str = "all"
    ports: str | None = None
    vcs: str | None = None
    rom: str | None = None
    width: int = 32
    link_registers: int = 0
    queue: int = 0
    root: str | None = None
    source_numbers: bool | None = None
    own_words: str | None = None

    def build(self) -> AnyDesign:
        """The design; refused where there is none of this kind."""
        return _build(self)

    def resolved(self) -> "Point":
        """The same with the names of what the commands choose: the fabric and the algorithm."""
        fabric = self.fabric
        if fabric is None:
            net = build_network(self.network) if self.sources not in ("all", "one") else None
            fabric = fabric_for(self.sources if net is None else read_sources(net, self.sources))
        if fabric not in USUAL:
            raise InputError(f"fabric: {fabric!r} is unknown; allowed: {', '.join(USUAL)}")
        return replace(self, fabric=fabric, algorithm=self.algorithm or USUAL[fabric])

    @property
    def text(self) -> str:
        """The point in one line: what differs from the usual."""
        usual = {field.name: field.default for field in fields(self)}
        given = {name: value for name, value in vars(self).items() if value != usual[name]}
        return " ".join(
            [given.pop("network"), *(f"{name}={value}" for name, value in given.items())]
        )


#: The columns that name a point.
DESIGN = tuple(field.name for field in fields(Point))


@cache
def _build(point: Point) -> AnyDesign:
    options = dict(vars(point))
    return build_design(options.pop("network"), **options)
