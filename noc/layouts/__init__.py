"""Where the nodes of a network are in a picture of it, by its structure."""

from noc.layouts.layout import Layout, lay_out

__all__ = ["Layout", "lay_out"]
