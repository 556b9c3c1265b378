"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from noc.errors import InputError


def check_file(path: Path, asked: str) -> None:
    """Refuse a file that cannot be written; ``asked`` is how messages name it."""
    if not path.parent.is_dir():
        raise InputError(f"{asked}: there is no directory {path.parent}")
    if path.is_dir():
        raise InputError(f"{asked}: is a directory; a file is needed")


@contextmanager
def replaced(path: Path, asked: str | None = None) -> Iterator[Path]:
    """A file to write to, which then takes the place of another: nobody sees half of it.

    What the system refuses is an error of the user's if messages are to name the file.
    """
    try:
        handle, name = tempfile.mkstemp(path.suffix, f".{path.name}-", path.parent)
        os.close(handle)
        try:
            yield Path(name)
            # With the rights of other files, not those of temporary ones.
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        if asked is None:
            raise
        raise InputError(f"{asked}: cannot be written: {error.strerror or error}") from None
