"""What the outputs of a part of the ordered fabric depend on, read from its netlist."""

from pathlib import Path

from formal import cones
from formal.parts import WIDTH, Part

__all__ = ["DOWNWARDS", "data_leaks", "joined_ways", "paths"]

#: Streams of the way down through a node that is no root; all others belong to the way up.
DOWNWARDS = ("down", "eject")

#: What belongs to no stream.
_APART = ("clk", "rst", "number")


def paths(folder: Path, part: Part) -> set[tuple[str, str]]:
    """Each output, with each input on which it depends within a cycle."""
    netlist = cones.gates(folder, part.component)
    return {
        (output, source)
        for output, _, net in netlist.outputs()
        for source, _ in netlist.sources(net, through_registers=False)
    }


def data_leaks(folder: Path, part: Part) -> list[tuple[str, str]]:
    """Outputs that ever depend on a bit of data, other than the same bit on its way out."""
    netlist = cones.gates(folder, part.component)
    return [
        (f"{output}[{index}]", f"{source}[{bit}]")
        for output, index, net in netlist.outputs()
        for source, bit in netlist.sources(net, through_registers=True)
        if source.endswith("payload") and bit < WIDTH
        if not output.endswith("payload") or index != bit
    ]


def joined_ways(folder: Path, part: Part) -> set[tuple[str, str]]:
    """Outputs of one way through a node that ever depend on an input of the other way."""
    netlist = cones.gates(folder, part.component)
    return {
        (output, source)
        for output, _, net in netlist.outputs()
        for source, _ in netlist.sources(net, through_registers=True)
        if source not in _APART and output.startswith(DOWNWARDS) != source.startswith(DOWNWARDS)
    }
