"""What the process in a simulator is asked to do."""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noc.comm.session import Program

__all__ = ["REQUEST", "Request", "load_program"]

#: In the environment of the simulator, the file with the request.
REQUEST = "NOC_COMM_REQUEST"


@dataclass(frozen=True)
class Request:
    """What the process in the simulator is to do.

    Parameters
    ----------
    file : Path
        The Python file in which the program stands.
    module : str
        The name under which it is loaded.
    program : str
        The name of the program there.
    arguments : tuple
        More for the program.
    manifest : Path
        What is known of the network.
    limit : int or None
        Give up after so many cycles.
    answer : Path
        Where the run is written, or what failed.
    """

    file: Path
    module: str
    program: str
    arguments: tuple[Any, ...]
    manifest: Path
    limit: int | None
    answer: Path


def load_program(request: Request) -> Program:
    """The program, in another process."""
    spec = importlib.util.spec_from_file_location(request.module, request.file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[request.module] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    program: Program = getattr(module, request.program)
    return program
