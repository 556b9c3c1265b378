"""What arrays of networks hold."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["ABSENT", "IntArray"]

#: Nodes, ports, or other whole numbers.
IntArray = npt.NDArray[np.signedinteger[Any]]

#: What ``neighbour`` and ``arrival`` hold where a node has no such port.
ABSENT = -1
