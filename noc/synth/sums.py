"""Sums of which a summand is chosen, where a carry cell of a family takes the choice too.

A join adds a word of one buffer to one of another, and a buffer of two slots chooses between them.
Yosys maps the sum to carry cells and the choice to tables before it; done here, a bit of both is
one cell.
"""

from noc.design import AnyDesign
from noc.synth.family import Family

__all__ = ["map_sums", "widths_of_sums"]

_CHOSEN = """\
module sum_of_choice(input [{top}:0] a, b, c, input s, output [{top}:0] o);
  assign o = a + (s ? c : b);
endmodule"""

#: Yosys maps narrower sums to tables.
_NARROWEST = 5


def widths_of_sums(design: AnyDesign) -> tuple[int, ...]:
    """How many bits the sums in the joins of a design have, if there are any."""
    operators = {operation.operator for operation in design.operations.listed}
    return (design.width,) if "sum" in operators and design.width >= _NARROWEST else ()


def map_sums(family: Family, name: str, widths: tuple[int, ...]) -> list[str]:
    """Commands of Yosys that map such sums of a module that has been read to a family's cells."""
    lines = []
    if family.sum_of_choice and widths:
        lines += [f"hierarchy -top {name}", "proc", "flatten", "opt_expr", "opt_clean"]
        # A choice of whole words becomes one of data and one of the rest.
        lines += ["wreduce", "splitcells", "opt_clean", "design -push"]
        for width in widths:
            lines += [*_read(_CHOSEN.format(top=width - 1)), "proc", "opt_clean"]
            lines += [f"design -stash chosen_{width}"]
            lines += _read(family.sum_of_choice.format(width=width, top=width - 1))
            lines += [f"design -stash mapped_{width}"]
        lines += ["design -pop"]
        for width in widths:
            lines += [f"extract -map %chosen_{width}", f"techmap -map %mapped_{width}"]
    return lines


def _read(verilog: str) -> list[str]:
    return ["read_verilog -sv <<end_of_text", verilog, "end_of_text"]
