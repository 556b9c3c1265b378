"""Run a program of yours, a Python coroutine, at every node.

Run a coroutine at every node of a network with operations, or of the timetable fabric, and show
what each returns, and in which cycle. docs/comm.md explains how to write one.
"""

import argparse
import importlib.util
import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.cli.output import Result
from noc.cli.parsers import add_option, declare
from noc.errors import InputError

if TYPE_CHECKING:
    from noc.comm import Run
    from noc.comm.session import Program
    from noc.comm.setup import Setup

EXAMPLES = (
    "noc run total.py star:3 --operations all_reduce:sum",
    "noc run total.py star:3 --operations all_reduce:sum --engine verilog",
    "noc run total.py star:4 --fabric timetable --exchange all_reduce:sum",
    "noc run total.py --verilog out",
)

#: The name of the coroutine in a file, unless another is named.
_USUAL = "main"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "program",
        metavar="FILE[:NAME]",
        help=f"the coroutine function NAME in a Python file (default: {_USUAL})",
    )
    arguments.add_spec(parser, optional=True)
    arguments.add_design_options(parser)
    shown = "the cycle model of the network, its Verilog, or numpy without any network"
    add_option(parser, "--engine model|verilog|numpy", f"{shown} (default: model)")
    arguments.allow_folder(parser, "run on")
    add_option(parser, "--cycles N", "give up after N cycles")
    arguments.add_simulator(parser, "the simulator of the Verilog")
    declare(parser, "--json")


def run(options: argparse.Namespace) -> Result:
    """Run; what each node returned."""
    arguments.check_folder_or_spec(options)
    if options.verilog is not None and options.engine not in (None, "verilog"):
        raise InputError(f"--engine {options.engine}: --verilog DIR runs on Verilog")
    finished, setup = _run(options, _load(options.program))
    results = [str(result) for result in finished.results]
    shown = [" ".join(result.split()) for result in results]
    rows = zip(range(setup.size), setup.labels, finished.ended, shown, strict=True)
    return Result(
        {"cycles": finished.cycles, "ended": finished.ended, "results": results},
        [output.table(("node", "label", "cycle", "returned"), rows)],
    )


def _run(options: argparse.Namespace, program: "Program") -> "tuple[Run, Setup]":
    from noc import comm
    from noc.comm.setup import describe_design
    from noc.comm.verilog import read_setup
    from noc.programs.operations import ALL

    how = {"cycles": options.cycles, "simulator": options.simulator}
    if options.verilog is not None:
        return comm.run(program, options.verilog, **how), read_setup(options.verilog)
    design = arguments.build_design(options)
    setup = describe_design(design)
    if options.engine == "numpy":
        groups = {name: nodes for name, nodes in setup.groups.items() if name != ALL}
        nodes = comm.Nodes(
            *(setup.size, setup.width, groups, setup.own_words, setup.root), labels=setup.labels
        )
        return comm.run(program, nodes), setup
    return comm.run(program, design, verilog=options.engine == "verilog", **how), setup


def _load(text: str) -> "Program":
    """The coroutine function that a user names."""
    path, _, name = text.partition(":") if not Path(text).is_file() else (text, "", "")
    file = Path(path).resolve()
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise InputError(f"{path}: a Python file with the program is needed")
    module: Any = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.parent))
    spec.loader.exec_module(module)
    program: Program | None = getattr(module, name or _USUAL, None)
    if program is None or not inspect.iscoroutinefunction(program):
        raise InputError(f"{text}: has no coroutine function {name or _USUAL}(comm)")
    return program
