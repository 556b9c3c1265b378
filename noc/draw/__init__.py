"""Pictures, where people would rather look."""

from noc.draw.picture import draw

__all__ = ["draw"]
