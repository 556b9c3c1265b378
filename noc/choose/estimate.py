"""LUTs and clock of what was not measured, from designs that were."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from noc.choose.atlas import Atlas, Known, shape_of
from noc.choose.figure import Figure
from noc.sweep import Point

__all__ = ["Estimator"]

#: With fewer measured designs than this for each unknown, nothing is estimated.
_ROWS_EACH = 2

#: The share of measured designs that lie within the error that is told.
_WITHIN = 0.9

#: A design that nothing else is like tells nothing of the error.
_LEAST = 0.1

#: What a design is like, in numbers.
_Features = Callable[[Point, Known], Sequence[float]]


@dataclass(frozen=True)
class _Kind:
    """How a figure follows from designs: as a product of powers, or as a sum."""

    name: str
    features: _Features
    powers: bool


class Estimator:
    """Estimates for a family of chips, each from measured designs of the same fabric and sources.

    LUTs are a sum over buffers and nodes, or over nodes and links; the clock is a product of powers
    of the nodes and of the links of a node.

    Parameters
    ----------
    atlas : Atlas
        What was measured.
    target : str
        The family of chips.
    """

    def __init__(self, atlas: Atlas, target: str) -> None:
        self._atlas, self._target = atlas, target
        self._fits: dict[tuple[str, str | None, str], _Fit | None] = {}

    def luts(self, point: Point, known: Known) -> Figure | None:
        """LUTs of a whole network."""
        kind = _BUFFERS if point.fabric == "ordered" else _LINKS
        figure = self._figure(kind, self._atlas.luts, point, known)
        return figure and Figure(round(figure.value), figure.origin, figure.error)

    def mhz(self, point: Point, known: Known) -> Figure | None:
        """The clock of a whole network."""
        figure = self._figure(_CLOCK, self._atlas.mhz, point, known)
        return figure and Figure(round(figure.value, 1), figure.origin, figure.error)

    def _figure(
        self,
        kind: _Kind,
        measured: Mapping[tuple[Point, str], float],
        point: Point,
        known: Known,
    ) -> Figure | None:
        key = kind.name, point.fabric, point.sources
        if key not in self._fits:
            self._fits[key] = _fit(kind, self._similar(kind, measured, point))
        fit = self._fits[key]
        if fit is None:
            return None
        return Figure(fit.at(kind.features(point, known)), "estimated", fit.error)

    def _similar(
        self, kind: _Kind, measured: Mapping[tuple[Point, str], float], point: Point
    ) -> list[tuple[Sequence[float], float]]:
        """Features and figures of the designs of this fabric and these sources."""
        found = []
        for (other, target), value in measured.items():
            known = self._atlas.designs.get(shape_of(other))
            alike = (other.fabric, other.sources) == (point.fabric, point.sources)
            if known is not None and alike and target == self._target:
                found.append((kind.features(other, known), float(value)))
        return found


@dataclass(frozen=True)
class _Fit:
    """What comes nearest to measured figures, in shares of them."""

    weights: tuple[float, ...]
    error: float
    powers: bool

    def at(self, features: Sequence[float]) -> float:
        total = float(np.dot(self.weights, features))
        return exp(total) if self.powers else max(total, 1.0)


def _fit(kind: _Kind, rows: Sequence[tuple[Sequence[float], float]]) -> _Fit | None:
    if not rows or len(rows) < _ROWS_EACH * len(rows[0][0]):
        return None
    features = np.array([each for each, _ in rows], dtype=np.float64)
    values = np.array([value for _, value in rows], dtype=np.float64)
    # Errors count as shares of the value.
    shares = features if kind.powers else features / values[:, None]
    wanted = np.log(values) if kind.powers else np.ones_like(values)
    inverse = np.linalg.pinv(shares)
    weights = inverse @ wanted
    # How far each would be from what the others alone give.
    own = np.einsum("ij,ji->i", shares, inverse)
    left = (shares @ weights - wanted) / np.maximum(1 - own, _LEAST)
    error = float(np.quantile(np.abs(left), _WITHIN))
    return _Fit(tuple(map(float, weights)), error, kind.powers)


def _buffers(point: Point, known: Known) -> Sequence[float]:
    """Bits of words, with the numbers of their sources, in both kinds of buffers; and the nodes."""
    number, nodes = (known.nodes - 1).bit_length(), known.nodes
    bits = point.width + number
    return [known.buffers[0] * bits, known.buffers[1] * bits, nodes, nodes * number]


def _links(point: Point, known: Known) -> Sequence[float]:
    """Each bit of a word at each node and on each link, and what decides where it goes."""
    nodes, links = known.nodes, known.links
    return [nodes * point.width, nodes, links * point.width, links, links * log(nodes)]


def _clock(point: Point, known: Known) -> Sequence[float]:
    del point
    return [1, log(known.nodes), log(known.degree)]


_BUFFERS = _Kind("buffers", _buffers, powers=False)
_LINKS = _Kind("links", _links, powers=False)
_CLOCK = _Kind("clock", _clock, powers=True)
