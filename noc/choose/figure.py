"""Numbers with what they rest on."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Figure", "Origin"]

#: In the atlas; from the design's trees, or from its cycle model, just now; or from similar rows.
Origin = Literal["measured", "computed", "estimated"]


@dataclass(frozen=True)
class Figure:
    """A number.

    Parameters
    ----------
    value : float
        The number.
    origin : "measured", "computed" or "estimated"
        What it rests on.
    error : float
        Of an estimate: nine of ten measured designs are at most this share away from what the
        others give for them.
    """

    value: float
    origin: Origin
    error: float = 0.0

    @property
    def source(self) -> str:
        """What it rests on, in words."""
        if self.origin == "estimated":
            return f"estimate, ±{self.error:.0%}"
        return self.origin
