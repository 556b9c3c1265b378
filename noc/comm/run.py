"""One function that runs a program, on whatever there is."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.comm.session import Program
from noc.comm.setup import Nodes, describe_nodes
from noc.comm.world import Run

if TYPE_CHECKING:
    from noc.design import AnyDesign

__all__ = ["run"]


def run(
    program: Program,
    on: "AnyDesign | Nodes | Path | str",
    *arguments: Any,
    verilog: bool = False,
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
    verilog : bool
        Run a design on its Verilog, which is written to a temporary folder, not on the model.
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
    # What the engines need takes a while to import; in the simulator none is needed.
    if isinstance(on, Nodes):
        from noc.comm.reference import run_reference

        return run_reference(describe_nodes(on), program, arguments)
    if not isinstance(on, Path | str) and not verilog:
        from noc.comm.model import run_model

        return run_model(on, program, arguments, cycles)
    from noc.comm.verilog import run_verilog, written

    if not isinstance(on, Path | str):
        with written(on) as folder:
            return run_verilog(folder, program, arguments, cycles=cycles, simulator=simulator)
    return run_verilog(Path(on), program, arguments, cycles=cycles, simulator=simulator)
