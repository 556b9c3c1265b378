"""Networks and trees as pictures in notebooks: ``%load_ext noc.draw``."""

import io
import re
from typing import Any

from noc.draw.canvas import check_library
from noc.draw.files import SVG
from noc.draw.pictures import draw, draw_network
from noc.errors import InputError
from noc.networks import Network
from noc.trees import Tree, TreeFamily

#: What matplotlib writes of itself; a picture says nothing of when and by what it was made.
_LEFT_OUT = dict.fromkeys(("Creator", "Date", "Format", "Type"))

#: Within a tag.
_STYLE = re.compile(r' style="([^"<>]*)"(?=[^<>]*>)')
_PART = re.compile(r"([a-z-]+): ([^;]+)")

#: The style of all, which would go before attributes.
_SHEET = re.compile(r"\s*<defs>\s*<style.*?</defs>", re.DOTALL)


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
    import matplotlib as mpl

    text = io.StringIO()
    with mpl.rc_context(SVG):
        figure.savefig(text, format="svg", metadata=_LEFT_OUT)
    _, _, drawn = _SHEET.sub("", _STYLE.sub(_as_attributes, text.getvalue())).partition("<svg")
    return f'<svg stroke-linejoin="round" stroke-linecap="butt"{drawn}'


def _as_attributes(style: re.Match[str]) -> str:
    """Style as attributes: converters and viewers of notebooks take away all other style."""
    parts = dict(_PART.findall(style[1]))
    # What earlier versions write of a font in one; there is no such attribute.
    short = f' style="font: {parts.pop("font")}"' if "font" in parts else ""
    if "font-family" in parts:
        # The font that places were computed with, and what takes its place.
        parts["font-family"] = re.sub(", .*, ", ", ", parts["font-family"])
    return "".join(f' {name}="{value}"' for name, value in parts.items()) + short
