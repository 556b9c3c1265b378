"""The folder that a command writes: whole or not at all, and never over somebody's work."""

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from noc.errors import InputError

__all__ = ["check_folder", "replaced"]

#: What running the bench in the folder leaves there.
_LEFTOVERS = ("bench/build/", "bench/__pycache__/")


def check_folder(
    folder: Path, *, marker: str = "manifest.json", command: str = "noc generate"
) -> None:
    """Refuse a folder that cannot be written, or that holds somebody's work.

    Parameters
    ----------
    folder : Path
        The folder.
    marker : str
        A file that the command writes: JSON with its ``generator`` and the ``files`` of the folder.
    command : str
        The command that may replace what it wrote before.
    """
    if not folder.parent.is_dir():
        raise InputError(f"-o {folder}: there is no directory {folder.parent}")
    if folder.is_symlink() and not folder.exists():
        raise InputError(f"-o {folder}: is a link that leads nowhere")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"-o {folder}: is a file; a directory is needed")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    listed = _listed(folder / marker)
    if listed is None:
        raise InputError(f"-o {folder}: is not empty and was not written by {command}")
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if (path.is_dir() and not path.is_symlink()) or name.startswith(_LEFTOVERS):
            continue
        if name not in listed:
            raise InputError(f"-o {folder}: {command} did not write {name} there; move it away")


def _listed(marker: Path) -> list[str] | None:
    """The files that a marker lists; None where it is not there or somebody else's."""
    # Many other programs have a file of this name.
    try:
        document = json.loads(marker.read_text(encoding="utf-8"))
        ours = str(document["generator"]).startswith("arbornoc ")
        return [str(name) for name in document["files"]] if ours else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


@contextlib.contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """An empty folder to fill; what is in it takes the place of ``folder`` at the end.

    If anything fails nothing is left behind, and what was there before stays.
    """
    folder = folder.resolve()
    # A folder that is there stays the same one: it may be where somebody works, or a mount.
    inside = folder if folder.is_dir() else folder.parent
    try:
        staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=inside))
    except OSError as error:
        raise InputError(f"-o {folder}: cannot be written: {error.strerror}") from None
    try:
        yield staging
        staging.chmod(0o755)
        if inside is folder:
            _exchange(folder, staging)
        else:
            staging.rename(folder)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise


def _exchange(folder: Path, staging: Path) -> None:
    """Move the contents of a folder away and those of the staging folder inside it up."""
    before = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder))
    fresh = [path.name for path in staging.iterdir()]
    try:
        _move(folder, before, keep=(staging, before))
        _move(staging, folder)
    except BaseException:
        for name in fresh:
            if not (staging / name).exists():
                (folder / name).rename(staging / name)
        _move(before, folder)
        before.rmdir()
        raise
    staging.rmdir()
    shutil.rmtree(before, ignore_errors=True)


def _move(source: Path, target: Path, keep: tuple[Path, ...] = ()) -> None:
    for path in list(source.iterdir()):
        if path not in keep:
            path.rename(target / path.name)
