"""Pictures as files: SVG, PDF, PNG, a frame for each step, or all steps in one GIF."""

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from noc.draw.canvas import check_library
from noc.errors import InputError, option
from noc.networks import IntArray

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
    if not path.parent.is_dir():
        raise InputError(f"{asked}: there is no directory {path.parent}")
    if path.is_dir():
        raise InputError(f"{asked}: is a directory; a file is needed")
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
        _replace(path, lambda name: _write(figure, name, _density(figure, size, dpi)))


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
        _replace(path, lambda name: _write_gif(figures, name, density))
        return [path]
    digits = len(str(len(figures) - 1))
    written = []
    for step, figure in enumerate(figures):
        frame = path.with_name(path.name.replace(FRAME, f"{step:0{digits}}"))
        drawn = figure()
        _replace(frame, lambda name, drawn=drawn: _write(drawn, name, density))  # type: ignore[misc]
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


def _write(figure: Any, name: Path, density: float) -> None:
    import matplotlib as mpl

    dates: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with mpl.rc_context(SVG):
        figure.savefig(name, dpi=density, metadata=dates.get(name.suffix.lower(), {}))


def _write_gif(figures: Sequence[Callable[[], Any]], name: Path, density: float) -> None:
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


def _replace(path: Path, write: Callable[[Path], None]) -> None:
    """Write to a file next to the target and rename it: no half-written picture is ever seen."""
    try:
        handle, name = tempfile.mkstemp(suffix=path.suffix, dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            write(temporary)
            temporary.chmod(0o644)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"{option('path', path, flag='o')}: cannot be written: {error.strerror or error}"
        ) from None
