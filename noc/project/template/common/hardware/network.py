"""The network, as network.toml describes it."""

import tomllib
from pathlib import Path

from noc.design import AnyDesign, build_design
from noc.plugins import load_installed, load_plugin

#: Where the project lies.
FOLDER = Path(__file__).parent.parent


def read_design() -> AnyDesign:
    """The network with its trees."""
    settings = tomllib.loads((FOLDER / "network.toml").read_text(encoding="utf-8"))
    load_installed()
    for name in settings.pop("plugins", []):
        load_plugin(FOLDER / name)
    spec = settings.pop("network")
    if spec.startswith("file:"):
        # The file lies in the project, wherever the command is called.
        spec = f"file:{FOLDER / spec.removeprefix('file:')}"
    return build_design(spec, **settings)
