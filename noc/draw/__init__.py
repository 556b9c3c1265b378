"""Pictures, where people would rather look."""

from noc.draw.picture import check_size, check_target, draw

__all__ = ["check_size", "check_target", "draw"]
