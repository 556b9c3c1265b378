"""Folders of the user for what is kept from one process to the next."""

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path

#: What nobody used for a month, in seconds, is that of an older version.
_UNUSED = 30 * 24 * 3600


def cache_folder(name: str, version: str, env: Mapping[str, str] = os.environ) -> Path | None:
    """A folder that can be written, for a version of what has a name; None where there is none.

    The time of a folder is that of its last use. When that of a new version is made, those that are
    not in use any more go.
    """
    try:
        usual = env.get("LOCALAPPDATA") if sys.platform == "win32" else env.get("XDG_CACHE_HOME")
        folder = Path(usual or Path.home() / ".cache") / "arbornoc" / name / version
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _prune(folder.parent)
        os.utime(folder)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None


def _prune(folder: Path) -> None:
    """Remove what was not used for long; another process may be doing the same."""
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < time.time() - _UNUSED:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
