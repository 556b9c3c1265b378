"""The library that draws, which only those install who want pictures."""

from importlib.util import find_spec

from noc.errors import InputError

__all__ = ["check_library"]

#: As the extra ``pictures`` has it.
_REQUIREMENT = "matplotlib>=3.9,<4"


def check_library() -> None:
    """Refuse, before anything is computed, to draw without it; to import it takes a second."""
    if find_spec("matplotlib") is None:
        raise InputError(f"matplotlib is missing: pip install '{_REQUIREMENT}'")
