"""Networks and trees as pictures in notebooks: ``%load_ext noc.draw``."""

import io
from typing import Any

from noc.draw.library import check_library
from noc.draw.pictures import draw, draw_network
from noc.errors import InputError
from noc.networks import Network
from noc.trees import Tree, TreeFamily

__all__ = ["load_ipython_extension"]


def load_ipython_extension(shell: Any) -> None:
    """Show networks, trees and figures as pictures, where they are the result of a cell."""
    try:
        check_library()
    except InputError as error:
        # Which notebooks show as one line, and others with all the calls that led to it.
        from IPython.core.error import UsageError

        raise UsageError(str(error)) from None
    pictures = shell.display_formatter.formatters["image/svg+xml"]
    pictures.for_type(Network, lambda network: _as_svg(draw_network(network)))
    # Figures too, whether or not pyplot is in use.
    pictures.for_type_by_name("matplotlib.figure", "Figure", _as_svg)
    for kind in (Tree, TreeFamily):
        pictures.for_type(kind, lambda drawn: _as_svg(draw(drawn)))


def _as_svg(figure: Any) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg")
    return text.getvalue()
