"""Folders of the user for what is kept from one process to the next."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["cache_folder"]


def cache_folder(name: str, env: Mapping[str, str] = os.environ) -> Path | None:
    """A folder of this name that can be written; None where there is none."""
    try:
        usual = env.get("LOCALAPPDATA") if sys.platform == "win32" else env.get("XDG_CACHE_HOME")
        folder = Path(usual or Path.home() / ".cache") / "arbornoc" / name
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None
