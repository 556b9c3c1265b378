"""Pictures of networks and trees, where people would rather look."""

from noc.draw.canvas import Lettering
from noc.draw.files import FORMATS, check_target, load_ipython_extension, save, save_frames
from noc.draw.pictures import MOST_NODES, VIEWS, check_size, draw, draw_network

__all__ = [
    "FORMATS",
    "MOST_NODES",
    "VIEWS",
    "Lettering",
    "check_size",
    "check_target",
    "draw",
    "draw_network",
    "load_ipython_extension",
    "save",
    "save_frames",
]
