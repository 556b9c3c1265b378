"""Netlists of earlier runs: what Yosys would make again of the same text, by the same commands.

The parts of networks are often the same but for their names, which are left out. A folder of the
user's cache holds a file for each netlist; it may be deleted at any time.
"""

import hashlib
import os
import threading
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from noc.caches import cache_folder
from noc.emit.module import Module
from noc.synth import tools

#: Stands for the name of a module; no name of ours is like it.
_NAME = "the_module_that_is_kept"


@dataclass(frozen=True)
class Kept:
    """The file of a netlist, whether there is one yet or not, and the name for its module."""

    path: Path
    name: str

    def fetch(self, folder: Path) -> bool:
        """Put the files of the netlist into a folder, if there are any."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                texts = {name: archive.read(name).decode() for name in archive.namelist()}
        except (OSError, ValueError, zipfile.BadZipFile):
            return False
        for ending, text in texts.items():
            path = folder / f"{self.name}{ending}"
            path.write_text(text.replace(_NAME, self.name), encoding="utf-8")
        return True

    def keep(self, folder: Path, endings: Sequence[str]) -> None:
        """Keep the files of this netlist in a folder; without room for them nothing is kept."""
        fresh = self.path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        try:
            with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
                for ending in endings:
                    text = (folder / f"{self.name}{ending}").read_text(encoding="utf-8")
                    archive.writestr(ending, text.replace(self.name, _NAME))
            # Whole at once: another process may be looking.
            fresh.replace(self.path)
        except OSError:
            fresh.unlink(missing_ok=True)


def kept_for(module: Module, script: Sequence[str]) -> Kept | None:
    """The file for what these commands make of a module; None where nothing can be kept."""
    release = tools.yosys_release()
    folder = cache_folder("netlists", release.replace(" ", "-")) if release else None
    if release is None or folder is None:
        return None
    text = "\0".join([release, *script, module.text]).replace(module.name, _NAME)
    return Kept(folder / f"{hashlib.sha256(text.encode()).hexdigest()}.zip", module.name)
