"""Designs that may answer a question, with their figures: measured, or computed here."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from math import inf
from pathlib import Path

import numpy as np

from noc.choose.atlas import Atlas, Known
from noc.choose.estimate import Estimator
from noc.choose.figure import Figure
from noc.choose.question import Question
from noc.design import OrderedDesign
from noc.networks import FAMILIES, Network, build_network, measure_network
from noc.sweep import STEPS, Axes, Point
from noc.sweep.members import members

__all__ = ["Candidate", "list_candidates"]

#: Designs that are computed beside those of the atlas have so many nodes together: some seconds.
_COMPUTED = 4_000

#: Networks whose nodes have more links are not computed: one node with all others around it.
_PORTS = 32

#: The mean latency at a load is hardly below that of a word alone: only by chance of which words
#: come.
_CHANCE = 0.97

#: Grids, of which there are many, count if their longest side is at most so many times their
#: shortest, and trees if they are no lines; others do if they are in the atlas.
_GRIDS, _LONGEST, _LINE = ("mesh", "torus"), 2, "tree:1,"


@dataclass(frozen=True)
class Candidate:
    """A design and what is known of it.

    Parameters
    ----------
    point : Point
        The design, with fabric and algorithm.
    known : Known
        Its network and its cycles.
    carries : Figure
        Words a cycle that it carries, at most.
    cycles : Figure
        Cycles of a word that travels alone, in the mean over the sources.
    luts, mhz : Figure or None
        Of the whole network; None where nothing similar was measured.
    load : float
        The load that is asked for.
    """

    point: Point
    known: Known = field(repr=False)
    carries: Figure
    cycles: Figure
    luts: Figure | None
    mhz: Figure | None
    load: float

    @property
    def nodes(self) -> int:
        """Nodes of its network."""
        return self.known.nodes

    @cached_property
    def latency(self) -> Figure:
        """Cycles from a word's coming to its last receiver at this load, in the mean.

        Where the atlas has no such load, the cycle model runs now. At full load, where words wait
        longer and longer, that of a word that travels alone.
        """
        if self.load == 1:
            return self.cycles
        there = self.known.loads.get(self.load)
        if there is not None:
            return Figure(there.latency or inf, "measured")
        run = STEPS["model"].measure(self.point.build(), Axes(load=self.load), Path())
        latency = run.get("latency_mean")
        return Figure(inf if latency is None else float(latency), "computed")

    @property
    def cycles_at_least(self) -> Figure:
        """A bound of the latency, at once."""
        if self.load in self.known.loads or self.load == 1:
            return self.latency
        return Figure(self.cycles.value * _CHANCE, "computed")

    def in_ns(self, cycles: Figure) -> Figure | None:
        """So many cycles in nanoseconds, if a clock is known."""
        if self.mhz is None:
            return None
        origin = self.mhz.origin if self.mhz.origin == "estimated" else cycles.origin
        return Figure(round(cycles.value * 1000 / self.mhz.value, 1), origin, self.mhz.error)

    @property
    def estimated(self) -> bool:
        """Whether some figure of it is an estimate."""
        figures = (self.luts, self.mhz)
        return any(figure is not None and figure.origin == "estimated" for figure in figures)

    @property
    def command(self) -> str:
        """What generates it."""
        point = self.point
        words = [f"noc generate {point.network}"]
        if point.sources != "all":
            words.append(f"--sources {point.sources}")
        elif point.fabric == "direct":
            words.append("--fabric direct")
        if point.algorithm != replace(point, algorithm=None).resolved().algorithm:
            words.append(f"--algorithm {point.algorithm}")
        if point.width != Point.width:
            words.append(f"--width {point.width}")
        return " ".join([*words, "-o out"])


def list_candidates(question: Question, atlas: Atlas) -> list[Candidate]:
    """All designs with so many nodes: those of the atlas, then others of the same families."""
    estimator = Estimator(atlas, question.target)
    found = dict(_of_atlas(question, atlas))
    if not question.measured:
        found = dict(_others(question, found)) | found
    return [_candidate(question, atlas, estimator, *each) for each in found.items()]


def _of_atlas(question: Question, atlas: Atlas) -> Iterator[tuple[Point, Known]]:
    least, most = question.nodes
    for point, known in atlas.designs.items():
        named = point.network.partition(":")[0] in FAMILIES
        if named and point.sources == question.sources and least <= known.nodes <= most:
            yield point, known


def _others(question: Question, found: dict[Point, Known]) -> Iterator[tuple[Point, Known]]:
    """Members of the families that the atlas lacks, with the usual algorithm."""
    alike = {(point.fabric, replace(known, loads={})) for point, known in found.items()}
    names = [name for name in members(FAMILIES, *question.nodes) if _is_worth(name)]
    left = _COMPUTED
    for name in _mixed(names):
        point = Point(name, sources=question.sources).resolved()
        if point in found:
            continue
        left -= measure_network(name)[1]
        if left < 0:
            break
        known = _computed(point)
        # Some families are the same for some parameters.
        if (point.fabric, known) not in alike:
            alike.add((point.fabric, known))
            yield point, known


def _mixed(names: Iterable[str]) -> list[str]:
    """One of each family in turn, the smallest first."""
    families: dict[str, list[str]] = {}
    for name in names:
        families.setdefault(name.partition(":")[0], []).append(name)
    turns = zip_longest(*families.values())
    return [name for turn in turns for name in turn if name is not None]


def _is_worth(name: str) -> bool:
    family, _, parameters = name.partition(":")
    if family in _GRIDS:
        sides = [int(part) for part in parameters.split(",")]
        return len(sides) > 1 and max(sides) <= _LONGEST * min(sides)
    _, ports = FAMILIES[family].size(*FAMILIES[family].parse(FAMILIES[family], parameters))
    return ports <= _PORTS and not name.startswith(_LINE)


def _computed(point: Point) -> Known:
    """From its trees: those of a source are as high as its farthest node is far."""
    if point.sources == "one":
        net = build_network(point.network)
        cycles = [net.eccentricity(node) + 1 for node in range(net.nodes)]
        return _known(net, (0, 0), cycles)
    design = point.build()
    assert isinstance(design, OrderedDesign)
    program = design.program
    cycles = [program.cycles_to_all(source) for source in program.sources]
    return _known(design.network, program.buffers, cycles)


def _known(net: Network, buffers: tuple[int, int], cycles: list[int]) -> Known:
    out = (net.neighbour >= 0).sum(axis=1)
    mean = round(float(np.mean(cycles)), 2)
    return Known(net.nodes, int(out.sum()), int(out.max()), buffers, mean)


def _candidate(
    question: Question, atlas: Atlas, estimator: Estimator, shape: Point, known: Known
) -> Candidate:
    point, there = replace(shape, width=question.width), bool(known.loads)
    luts, mhz = (each.get((point, question.target)) for each in (atlas.luts, atlas.mhz))
    guess = not question.measured
    return Candidate(
        point,
        known,
        # A fabric for this kind of sources carries a word in every cycle, whatever the network.
        Figure(known.carries, "measured") if there else Figure(1, "computed"),
        Figure(known.cycles, "measured" if there else "computed"),
        _measured(luts) or (estimator.luts(point, known) if guess else None),
        _measured(mhz) or (estimator.mhz(point, known) if guess else None),
        question.load,
    )


def _measured(value: float | None) -> Figure | None:
    return None if value is None else Figure(value, "measured")
