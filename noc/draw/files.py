"""Pictures as files: SVG, PDF, PNG, a frame for each step, or all steps in one GIF."""

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from noc.draw.library import check_library
from noc.errors import InputError, option

__all__ = ["FORMATS", "FRAME", "check_target", "save", "save_frames"]

#: By their endings.
FORMATS = (".svg", ".pdf", ".png", ".gif")

#: In the name of a file: write one for each step.
FRAME = "{step}"

#: Pixels of an inch; milliseconds of a step and of the last one.
_DPI, _STEP, _LAST = 150, 900, 2700


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


def save(figure: Any, path: Path) -> None:
    """Write a figure; the same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
        What :func:`noc.draw.draw` or :func:`noc.draw.draw_network` gave.
    path : Path
        The file, whose ending decides the format. Nothing is left of it if it cannot be finished.
    """
    check_target(path)
    if path.suffix.lower() == ".gif":
        save_frames([lambda: figure], path)
    else:
        _beside(path, lambda name: _write(figure, name))


def save_frames(figures: Sequence[Callable[[], Any]], path: Path) -> list[Path]:
    """Write a file for each step, or one GIF of all; the files.

    Parameters
    ----------
    figures : sequence of callable
        For each step, from 0, what draws it.
    path : Path
        A GIF, or a name with ``{step}`` in it.
    """
    check_target(path)
    if path.suffix.lower() == ".gif":
        _beside(path, lambda name: _write_gif([figure() for figure in figures], name))
        return [path]
    digits = len(str(len(figures) - 1))
    written = []
    for step, figure in enumerate(figures):
        frame = path.with_name(path.name.replace(FRAME, f"{step:0{digits}}"))
        drawn = figure()
        _beside(frame, lambda name, drawn=drawn: _write(drawn, name))  # type: ignore[misc]
        written.append(frame)
    return written


def _write(figure: Any, name: Path) -> None:
    import matplotlib as mpl

    # A fixed salt and no date.
    settings: Any = {"svg.hashsalt": "noc", "svg.fonttype": "none"}
    dates: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with mpl.rc_context(settings):
        figure.savefig(name, dpi=_DPI, metadata=dates.get(name.suffix.lower(), {}))


def _write_gif(figures: Sequence[Any], name: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    images = []
    for figure in figures:
        canvas: Any = FigureCanvasAgg(figure)
        figure.set_dpi(_DPI)
        canvas.draw()
        image = Image.fromarray(np.asarray(canvas.buffer_rgba()))
        images.append(image.convert("RGB").quantize(64, dither=Image.Dither.NONE))
    first, *others = images
    times = [_STEP] * (len(images) - 1) + [_LAST]
    first.save(name, "GIF", save_all=True, append_images=others, duration=times, loop=0)


def _beside(path: Path, write: Callable[[Path], None]) -> None:
    """Write beside the target and rename, so that no half-written picture is ever seen."""
    try:
        handle, name = tempfile.mkstemp(suffix=path.suffix, dir=path.parent)
        os.close(handle)
        beside = Path(name)
        try:
            write(beside)
            beside.chmod(0o644)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"{option('path', path, flag='o')}: cannot be written: {error.strerror or error}"
        ) from None
