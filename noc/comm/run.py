"""One function that runs a program, on whatever there is."""

from pathlib import Path
from typing import Any

from noc.comm.model import run_model
from noc.comm.reference import run_reference
from noc.comm.session import Program
from noc.comm.setup import Nodes, describe_nodes
from noc.comm.verilog import run_verilog
from noc.comm.world import Run
from noc.design import Design, OrderedDesign
from noc.errors import InputError, option

__all__ = ["run"]


def run(
    program: Program,
    on: OrderedDesign | Nodes | Path | str,
    *arguments: Any,
    cycles: int | None = None,
    simulator: str = "verilator",
) -> Run:
    """Run a program at every node.

    Parameters
    ----------
    program : callable
        A coroutine function: what each node does. Its first argument is the node's
        :class:`noc.comm.Comm`.
    on : OrderedDesign, Nodes, Path or str
        Where: on the cycle model of a design, without a network, or on the Verilog in a folder that
        ``noc generate`` wrote.
    arguments
        More for the program, the same at every node.
    cycles : int, optional
        Give up after so many cycles.
    simulator : str
        What runs the Verilog.

    >>> from noc.comm import Nodes, run
    >>> async def total(comm):
    ...     return (await comm.all_reduce(comm.rank)).tolist()
    >>> run(total, Nodes(4)).results
    [[6], [6], [6], [6]]
    """
    if isinstance(on, Nodes):
        return run_reference(describe_nodes(on), program, arguments)
    if isinstance(on, OrderedDesign):
        return run_model(on, program, arguments, cycles)
    if isinstance(on, Design):
        raise InputError(
            f"{option('fabric', 'direct')}: programs need operations, which the ordered fabric has"
        )
    return run_verilog(Path(on), program, arguments, cycles=cycles, simulator=simulator)
