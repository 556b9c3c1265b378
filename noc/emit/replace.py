"""The folder that a command writes: whole or not at all, and never over what a person wrote."""

import contextlib
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from noc.errors import InputError, option, switch

#: How the files were when they were written, as ``sha256sum -c`` reads it.
SUMS = "sha256sums.txt"

#: What running the bench in the folder leaves there.
_LEFTOVERS = ("bench/build/", "bench/__pycache__/")


def check_folder(
    folder: Path,
    *,
    marker: str = "manifest.json",
    command: str = "noc generate",
    discard_edits: bool = False,
) -> None:
    """Refuse a folder that cannot be written, or that holds what a person wrote or changed.

    A command may replace what it wrote before: where a ``marker`` lies, JSON with its ``generator``
    and the ``files`` of the folder. Its files may have been changed since then if edits may be
    discarded.
    """
    asked = option("folder", folder, flag="o")
    if not folder.parent.is_dir():
        raise InputError(f"{asked}: there is no directory {folder.parent}")
    if folder.is_symlink() and not folder.exists():
        raise InputError(f"{asked}: is a link that leads nowhere")
    is_dir = folder.is_dir()
    if folder.exists() and not is_dir:
        raise InputError(f"{asked}: is a file; a directory is needed")
    # Of a command that was killed there may be a folder left, which is replaced with the rest.
    present = [path for path in folder.iterdir() if not _staging(folder, path)] if is_dir else []
    if not present:
        return
    listed = _listed(folder / marker)
    if listed is None:
        raise InputError(f"{asked}: is not empty and was not written by {command}")
    others = [
        name
        for name in sorted(_names(folder, present))
        if not name.startswith(_LEFTOVERS) and name not in listed
    ]
    if others:
        what = others[0] if len(others) == 1 else f"{others[0]} and {len(others) - 1} others"
        raise InputError(
            f"{asked}: {command} did not write {what} there; move that away, or choose "
            "another folder"
        )
    edited = [] if discard_edits else _edited(folder)
    if edited:
        what = edited[0] if len(edited) == 1 else f"{edited[0]} and {len(edited) - 1} others"
        raise InputError(
            f"{asked}: {what} changed since {command} wrote it; move that away, "
            f"choose another folder, or lose it with {switch('discard_edits', True)}"
        )


def _edited(folder: Path) -> list[str]:
    """The files that are not as they were written; one that is gone is no loss."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    known = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    present = [name for name in known if (folder / name).is_file()]
    return [name for name in present if _digest(folder / name) != known[name]]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _staging(folder: Path, path: Path) -> bool:
    """Whether it is a folder that was to take the place of the contents."""
    begun = path.name.startswith(f".{folder.resolve().name}-")
    return begun and path.is_dir() and not path.is_symlink()


def _names(folder: Path, paths: list[Path]) -> Iterator[str]:
    """All files at and below some paths."""
    for top in paths:
        real = top.is_dir() and not top.is_symlink()
        for path in top.rglob("*") if real else [top]:
            if path.is_symlink() or not path.is_dir():
                yield path.relative_to(folder).as_posix()


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
def replace_folder(folder: Path) -> Iterator[Path]:
    """An empty folder to fill; what is in it takes the place of ``folder`` at the end, with sums.

    If anything fails nothing is left behind, and what was there before stays.
    """
    folder = folder.resolve()
    # A folder that is there stays the same one: it may be where somebody works, or a mount.
    inside = folder if folder.is_dir() else folder.parent
    try:
        staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=inside))
    except OSError as error:
        raise InputError(
            f"{option('folder', folder, flag='o')}: cannot be written: {error.strerror}"
        ) from None
    try:
        yield staging
        files = sorted(path for path in staging.rglob("*") if path.is_file())
        lines = [f"{_digest(path)}  {path.relative_to(staging).as_posix()}\n" for path in files]
        (staging / SUMS).write_text("".join(lines), encoding="utf-8")
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
