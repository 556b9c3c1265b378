"""Pictures as files: SVG, PDF, PNG, a frame for each step or all steps in a GIF; in notebooks."""

import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from noc.draw.canvas import check_library
from noc.draw.pictures import draw, draw_network
from noc.errors import InputError, option
from noc.files import check_file, replaced
from noc.networks import IntArray, Network
from noc.trees import Tree, TreeFamily

#: By their endings.
FORMATS = (".svg", ".pdf", ".png", ".gif")

#: In the name of a file: write one for each step.
FRAME = "{step}"

#: Settings of matplotlib for an SVG: texts as such, and the same bytes each time.
SVG: Any = {"svg.hashsalt": "noc", "svg.fonttype": "none"}

#: Pixels of a slide, which a picture fills, and of an inch, so that its letters can be read.
_SLIDE, _LEGIBLE = (1920, 1080), 96

#: Pixels of a side; more make files that nothing opens.
_MOST_PIXELS = 10_000

#: Milliseconds of a step and of the last one; colours of a GIF.
_STEP, _LAST, _COLOURS = 900, 2700, 256


def check_target(path: Path) -> None:
    """Refuse a file that no picture can become."""
    asked = option("path", path, flag="o")
    if path.suffix.lower() not in FORMATS:
        raise InputError(
            f"{asked}: the file must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        )
    if path.suffix.lower() == ".gif" and FRAME in path.name:
        raise InputError(f"{asked}: a .gif holds all steps; {FRAME} is for other files")
    check_file(path, asked)
    check_library()


def check_pixels(path: Path, size: tuple[int, int] | None, dpi: int | None) -> None:
    """Refuse sizes that a file cannot have."""
    if size is None and dpi is None:
        return
    named = option("dpi", dpi) if size is None else option("size", "x".join(map(str, size)))
    if size is not None and dpi is not None:
        raise InputError(f"{named}: {option('dpi')} says how large the picture is, too; use one")
    if path.suffix.lower() in (".svg", ".pdf"):
        raise InputError(
            f"{named}: is for .png and .gif; other pictures have no pixels, and are as large as "
            f"{option('size', flag='font-size')} makes them"
        )
    if size is not None and not all(16 <= side <= _MOST_PIXELS for side in size):
        raise InputError(f"{named}: 16 to {_MOST_PIXELS} pixels are allowed")


def save(
    figure: Any, path: Path, *, size: tuple[int, int] | None = None, dpi: int | None = None
) -> None:
    """Write a figure of :func:`draw` or :func:`draw_network`; the same one gives the same bytes.

    Parameters
    ----------
    figure : Figure
        The figure.
    path : Path
        The file, whose ending decides the format. Nothing is left of it if it cannot be finished.
    size : (int, int), optional
        The most pixels of a PNG or GIF, across and down: it is as large as fits. Without this, it
        fills a slide, and is larger where letters would be too small to read.
    dpi : int, optional
        Or the pixels of an inch.
    """
    check_target(path)
    check_pixels(path, size, dpi)
    if path.suffix.lower() == ".gif":
        save_frames([lambda: figure], path, size=size, dpi=dpi)
    else:
        _write(figure, path, _density(figure, size, dpi))


def save_frames(
    figures: Sequence[Callable[[], Any]],
    path: Path,
    *,
    size: tuple[int, int] | None = None,
    dpi: int | None = None,
) -> list[Path]:
    """Write a file for each step, or one GIF of all; the files.

    ``figures`` has for each step, from 0, what draws it; ``path`` is a GIF, or a name with
    ``{step}`` in it; ``size`` and ``dpi`` are those of :func:`save`.
    """
    check_target(path)
    check_pixels(path, size, dpi)
    density = _density(figures[0](), size, dpi)
    if path.suffix.lower() == ".gif":
        _write_gif(figures, path, density)
        return [path]
    digits = len(str(len(figures) - 1))
    written = []
    for step, figure in enumerate(figures):
        frame = path.with_name(path.name.replace(FRAME, f"{step:0{digits}}"))
        _write(figure(), frame, density)
        written.append(frame)
    return written


def _density(figure: Any, size: tuple[int, int] | None, dpi: int | None) -> float:
    """The pixels of an inch."""
    inches = figure.get_size_inches()
    if dpi is not None:
        most = int(_MOST_PIXELS / inches.max())
        if not 10 <= dpi <= most:
            raise InputError(f"{option('dpi', dpi)}: 10 to {most} pixels of an inch are possible")
        return dpi
    fits = (np.array(size or _SLIDE) / inches).min()
    return float(fits if size else max(fits, _LEGIBLE))


def _write(figure: Any, path: Path, density: float) -> None:
    import matplotlib as mpl

    dates: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with mpl.rc_context(SVG), replaced(path, option("path", path, flag="o")) as name:
        figure.savefig(name, dpi=density, metadata=dates.get(path.suffix.lower(), {}))


def _write_gif(figures: Sequence[Callable[[], Any]], path: Path, density: float) -> None:
    from PIL import Image

    frames = [_pixels(figure(), density) for figure in figures]
    counts = np.zeros(1 << 24, dtype=np.int64)
    for frame in frames:
        counts += np.bincount(frame.ravel(), minlength=counts.size)
    # One palette for all: what has the same colour keeps it from step to step.
    used = np.flatnonzero(counts)
    palette = used[np.argsort(-counts[used], kind="stable")[:_COLOURS]]
    number = np.zeros(counts.size, dtype=np.uint8)
    number[used] = _nearest(_parts(used), _parts(palette))
    images = [Image.fromarray(number[frame]) for frame in frames]
    for image in images:
        image.putpalette(_parts(palette).astype(np.uint8).tobytes())
    first, *others = images
    times = [_STEP] * (len(images) - 1) + [_LAST]
    with replaced(path, option("path", path, flag="o")) as name:
        first.save(name, "GIF", save_all=True, append_images=others, duration=times, loop=0)


def _pixels(figure: Any, density: float) -> IntArray:
    """A colour for each pixel, as one number."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    figure.set_dpi(density)
    canvas.draw()
    red, green, blue, _ = np.moveaxis(np.asarray(canvas.buffer_rgba(), dtype=np.int32), 2, 0)
    return np.asarray((red << 16) + (green << 8) + blue)


def _parts(colours: IntArray) -> IntArray:
    """Red, green and blue of colours."""
    return np.stack([colours >> 16, colours >> 8, colours], axis=-1) & 255


def _nearest(colours: IntArray, palette: IntArray) -> IntArray:
    """For each colour the one of the palette that is most like it."""
    far = np.zeros((len(colours), len(palette)), dtype=np.int64)
    for part in range(3):
        far += (colours[:, part, None] - palette[None, :, part]) ** 2
    return np.asarray(far.argmin(axis=1))


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
