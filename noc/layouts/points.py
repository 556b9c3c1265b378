"""Points of the plane as complex numbers: to turn is to multiply."""

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.complex128]


def turned(share: npt.ArrayLike) -> Points:
    """What turns by a share of a whole turn, counter-clockwise."""
    return np.asarray(np.exp(2j * np.pi * np.asarray(share, dtype=np.float64)))


def circle(count: int) -> Points:
    """Points round the origin, 1 apart, the first at the right."""
    if count == 1:
        return np.zeros(1, dtype=np.complex128)
    radius = 0.5 / np.sin(np.pi / count)
    return np.asarray(radius * turned(np.arange(count) / count))


def nearest(points: Points) -> float:
    """The distance of the two nearest points."""
    # Sorted along x, the nearest to a point is looked for among those that are near in x.
    order = points[np.lexsort((points.imag, points.real))]
    best = np.inf
    for step in range(1, points.size):
        across = order.real[step:] - order.real[:-step]
        if across.min() >= best:
            break
        best = min(best, float(np.abs(order[step:] - order[:-step]).min()))
    return float(best)
