"""Where to write the names of nodes that are dots, so that no line runs through a name."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Box", "crosses", "place_labels"]

Points = npt.NDArray[np.float64]

#: Left, top, right, bottom.
Box = tuple[float, float, float, float]

#: Between a dot and its name.
_GAP = 4.0


def place_labels(
    places: Points, sizes: Sequence[tuple[float, float]], lines: Sequence[tuple[Points, Points]]
) -> list[Box]:
    """A box for each name, near its dot: the first place that no line and no other name crosses.

    Parameters
    ----------
    places : array (nodes, 2)
        The dots.
    sizes : sequence of (float, float)
        Width and height of the names.
    lines : sequence of (array, array)
        The ends of the lines.
    """
    boxes: list[Box] = []
    dots = [(x - 2, y - 2, x + 2, y + 2) for x, y in places.tolist()]
    for node, ((x, y), (width, height)) in enumerate(zip(places.tolist(), sizes, strict=True)):
        best: tuple[int, Box] | None = None
        near = [line for line in lines if _is_near(line, x, y, width + height + 3 * _GAP)]
        for box in _around(x, y, width, height):
            wrong = sum(crosses(box, *line) for line in near)
            wrong += sum(_meet(box, other) for other in boxes)
            wrong += sum(_meet(box, dot) for other, dot in enumerate(dots) if other != node)
            if best is None or wrong < best[0]:
                best = wrong, box
            if not wrong:
                break
        assert best is not None
        boxes.append(best[1])
    return boxes


def _around(x: float, y: float, width: float, height: float) -> list[Box]:
    """The places that are tried: below, above, beside, and at the corners, ever further away."""
    result = []
    for gap in (_GAP, 1.8 * _GAP, 2.6 * _GAP):
        across, down = gap + width / 2, gap + height / 2
        for dx, dy in (
            *((0, down), (0, -down), (across, 0), (-across, 0)),
            *((across, -down / 2), (-across, -down / 2), (across, down / 2), (-across, down / 2)),
            *((across, -down), (-across, -down), (across, down), (-across, down)),
        ):
            result.append(
                (
                    *(x + dx - width / 2, y + dy - height / 2),
                    *(x + dx + width / 2, y + dy + height / 2),
                )
            )
    return result


def _is_near(line: tuple[Points, Points], x: float, y: float, reach: float) -> bool:
    (ax, ay), (bx, by) = line[0].tolist(), line[1].tolist()
    return bool(
        min(ax, bx) - reach <= x <= max(ax, bx) + reach
        and min(ay, by) - reach <= y <= max(ay, by) + reach
    )


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def crosses(box: Box, begin: Points, end: Points) -> bool:
    """Whether a line runs through a box."""
    low, high = 0.0, 1.0
    for axis in range(2):
        start, way = float(begin[axis]), float(end[axis] - begin[axis])
        least, most = box[axis], box[axis + 2]
        if abs(way) < 1e-12:
            if not least < start < most:
                return False
            continue
        near, far = sorted(((least - start) / way, (most - start) / way))
        low, high = max(low, near), min(high, far)
    return low < high
