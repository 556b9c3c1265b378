"""A sheet on which everything is placed in points (1/72 inch), x to the right and y down."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from noc.errors import InputError, option

Points = npt.NDArray[np.float64]

#: As the extra ``pictures`` has it.
_REQUIREMENT = "matplotlib>=3.9,<4"

INK, FAINT, PAPER = "#1f2328", "#c4cad1", "white"

#: Colours that most eyes distinguish; and dashes, so that nothing is shown by colour alone.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5c00", "#4b4b9d", "#b00020", "#3b3b3b")
_DASHES: tuple[tuple[float, ...], ...] = (
    *((), (5, 2), (1.5, 1.5), (7, 2, 1.5, 2), (3, 1.2), (9, 2, 1.5, 2, 1.5, 2), (1, 3)),
)

#: The names of nodes, in points, for which everything is placed; letters are about so wide.
LETTERS, _WIDE = 7.0, 0.62


def check_library() -> None:
    """Refuse, before anything is computed, to draw without it; to import it takes a second."""
    if find_spec("matplotlib") is None:
        raise InputError(f"matplotlib is missing: pip install '{_REQUIREMENT}'")


@dataclass(frozen=True)
class Lettering:
    """How a picture is lettered; all of it grows with its letters.

    Parameters
    ----------
    size : float
        Of the names of nodes, in points.
    font : str, optional
        The name of a family of fonts; without it the usual one of matplotlib.
    """

    size: float = LETTERS
    font: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.size <= 100:
            raise InputError(
                f"{option('size', self.size, flag='font-size')}: 1 to 100 points are allowed"
            )
        if self.font is not None:
            check_library()
            from matplotlib.font_manager import FontProperties, findfont

            try:
                findfont(FontProperties(family=[self.font]), fallback_to_default=False)
            except ValueError:
                raise InputError(
                    f"{option('font', self.font)}: matplotlib finds no font of this name"
                ) from None


class PortStyle(NamedTuple):
    """How the lines of a port look."""

    colour: str
    dashes: tuple[float, ...]


def port_style(port: int) -> PortStyle:
    """The look of a port; 56 ports have looks of their own."""
    return PortStyle(_COLOURS[port % len(_COLOURS)], _DASHES[port % len(_DASHES)])


class Canvas:
    """A figure of matplotlib, of a size in points; with other letters it is larger or smaller."""

    def __init__(self, width: float, height: float, lettering: Lettering) -> None:
        check_library()
        from matplotlib.figure import Figure

        self._scale, self._font = lettering.size / LETTERS, lettering.font
        inch = 72 / self._scale
        self.figure = Figure(figsize=(width / inch, height / inch), facecolor=PAPER)
        self._axes: Any = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self._axes.set_xlim(0, width)
        self._axes.set_ylim(height, 0)
        self._axes.axis("off")

    def line(
        self,
        points: Points,
        *,
        colour: str = INK,
        width: float = 1.0,
        dashes: Sequence[float] = (),
        above: int = 1,
    ) -> None:
        """A line through points."""
        style: Any = (0, tuple(dash / max(width, 1) for dash in dashes)) if dashes else "solid"
        self._axes.plot(
            points[:, 0],
            points[:, 1],
            color=colour,
            linewidth=width * self._scale,
            linestyle=style,
            zorder=above,
            solid_capstyle="round",
        )

    def arrow_head(self, tip: Points, before: Points, *, colour: str, size: float) -> None:
        """A head at the end of a line."""
        way = tip - before
        way = way / max(float(np.hypot(*way)), 1e-9)
        side = np.array([-way[1], way[0]])
        base = tip - size * way
        corners = np.stack([tip, base + 0.45 * size * side, base - 0.45 * size * side])
        self._axes.fill(*corners.T, color=colour, linewidth=0, zorder=4)

    def disc(self, place: Points, radius: float, *, fill: str = PAPER, edge: str = INK) -> None:
        """A circle."""
        from matplotlib.patches import Circle

        self._axes.add_patch(Circle(tuple(place.tolist()), radius, **self._look(fill, edge)))

    def box(self, place: Points, size: Points, *, fill: str = PAPER, edge: str = INK) -> None:
        """A box with round corners about a place."""
        from matplotlib.patches import FancyBboxPatch

        (x, y), (width, height) = (place - size / 2).tolist(), size.tolist()
        style = f"round,pad=0,rounding_size={size.min() / 3}"
        look = self._look(fill, edge)
        self._axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=style, **look))

    def _look(self, fill: str, edge: str) -> dict[str, Any]:
        line = 0.9 * self._scale
        return {"facecolor": fill, "edgecolor": edge, "linewidth": line, "zorder": 5}

    def text(
        self,
        place: Sequence[float] | Points,
        text: str,
        size: float,
        *,
        colour: str = INK,
        ha: str = "center",
    ) -> None:
        """Words, as they are: nothing in them is mathematics."""
        self._axes.text(
            float(place[0]),
            float(place[1]),
            text,
            fontsize=size * self._scale,
            fontfamily=self._font,
            color=colour,
            ha=ha,
            va="center",
            zorder=7,
            parse_math=False,
        )

    @staticmethod
    def wide(text: str, size: float) -> float:
        """About how wide some words are."""
        return _WIDE * size * len(text)
