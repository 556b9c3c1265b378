"""Flip-flops that tell when they flip: in two copies that are compared, or by a word's parity.

Of a module in the format of Yosys. Which registers hold words whose parity is looked at, and which
are of the alarm itself, their attributes say; every other one has two copies, or where there is no
alarm, three.
"""

import re
from collections.abc import Iterator

from noc.emit.registers import (
    CELL,
    COPY,
    Register,
    find_registers,
    lead_pins,
    refuse,
    split,
    without_values,
)
from noc.emit.voting import voted_module
from noc.errors import InputError, option
from noc.hardware.ordered.node import DIFFER, PARITY
from noc.hardware.ordered.words import ALARM, WORD

#: A register in two copies, and whether they differ, as Verilog. The first is the one that is used.
#: Tools must neither merge the copies nor two bits of a word that are always the same, since one
#: flip would change both: Yosys and Vivado leave modules of copies apart, and the attributes of the
#: register are for others.
_CHECKED = """
module {name}_checked (clk, rst, take, d, q, differ);
  parameter WIDTH = 1;
  parameter [WIDTH - 1:0] INIT = 0;
  input clk;
  input rst;
  input take;
  input [WIDTH - 1:0] d;
  output [WIDTH - 1:0] q;
  output differ;
  wire [WIDTH - 1:0] other;
  {name}_copy #(.WIDTH(WIDTH), .INIT(INIT)) copy_0 (
    .clk(clk), .rst(rst), .take(take), .d(d), .q(q)
  );
  {name}_copy #(.WIDTH(WIDTH), .INIT(INIT)) copy_1 (
    .clk(clk), .rst(rst), .take(take), .d(d), .q(other)
  );
  assign differ = q != other;
endmodule
"""

#: Whether the number of ones is odd: gates that tools map by themselves. Elsewhere in a node they
#: would be the longest way, for which tools let the others become as long.
_PARITY = """
(* keep_hierarchy = "yes" *)
module {name}_parity (d, odd);
  parameter WIDTH = 1;
  input [WIDTH - 1:0] d;
  output odd;
  assign odd = ^d;
endmodule
"""

#: The output of a module that says that copies in it, or below it, differ.
_OUT = r"\noc_differs"

_NAME = re.compile(r"module (\S+)\n")

#: An instance of another module.
_INSTANCE = re.compile(r"  cell (\\\S+) (\S+)\n((?:    .*\n)*)  end\n")

_MARK = re.compile(
    rf"  attribute \\({WORD}|{ALARM}) 1\n"
    r"(?=(?:  attribute .*\n)*  wire width \d+ (?:\w+ +)*(\\?\S+)\n)"
)


def check(rtlil: str, name: str) -> tuple[str, str]:
    """A design in the format of Yosys whose registers tell when they flip, and more Verilog for it.

    That goes to the output of a cell of the type ``DIFFER`` in its first module. Where there is
    none, as in the registers of links, a vote of three copies decides, and nothing is to be told.
    """
    head, modules = split(rtlil)
    votes = f"  cell \\{DIFFER} " not in modules[0]
    by_name = {_name(module): module for module in modules}
    done: dict[str, tuple[str, bool]] = {}
    # Modules come before those that they contain.
    for own in reversed([*by_name]):
        part = _Module(by_name[own], name, done, votes=votes)
        done[own] = part.checked(top=own == _name(modules[0]))
    more = [part.format(name=name) for part in (_CHECKED, COPY, _PARITY)]
    if votes:
        more = [voted_module(f"{name}_voted"), more[1]]
    return head + "".join(done[own][0] for own in by_name), "".join(more)


def _name(module: str) -> str:
    found = _NAME.match(module)
    assert found is not None
    return found[1]


class _Module:
    """A module whose registers are checked."""

    def __init__(
        self, text: str, name: str, done: dict[str, tuple[str, bool]], *, votes: bool
    ) -> None:
        refuse(text, "detect")
        self._name, self._done, self._votes = name, done, votes
        self._marks = {match[2]: match[1] for match in _MARK.finditer(text)}
        self._text = _MARK.sub("", text)
        #: The wires that say that copies differ.
        self._told: list[str] = []

    def checked(self, *, top: bool) -> tuple[str, bool]:
        """Its text, and whether it has an output that says that copies differ."""
        self._copy()
        self._text = _INSTANCE.sub(lambda match: self._led(*match.groups()), self._text)
        wires = "".join(f"  wire width 1 {wire}\n" for wire in self._told)
        if top:
            return self._with(wires), False
        if not self._told:
            return self._text, False
        ports = len(re.findall(r"^  wire width \d+ (?:input|output|inout) ", self._text, re.M))
        wires += f"  wire width 1 output {ports} {_OUT}\n"
        return self._with(wires + "".join(self._any(_OUT))), True

    def _with(self, lines: str) -> str:
        """The module with more lines at its beginning."""
        head, text = self._text.split("\n", 1)
        return f"{head}\n{lines}{text}"

    def _copy(self) -> None:
        """Put copies in the places of registers."""
        registers = find_registers(self._text)
        replaced = [each for each in registers if self._marks.get(each.q) != ALARM]
        self._text = without_values(self._text, replaced)
        instances = []
        for register in replaced:
            holds = register.wide or not self._votes
            self._text, pins = lead_pins(self._text, register, holds=holds)
            instances.append(self._instance(register, pins))
        written = iter(instances)
        kept = iter([each not in replaced for each in registers])
        self._text = CELL.sub(lambda m: m[0] if next(kept) else next(written), self._text)

    def _instance(self, register: Register, pins: dict[str, str]) -> str:
        """An instance in place of a flip-flop."""
        kind = "voted" if self._votes else "checked"
        if self._is_word(register):
            kind = "copy"
        if kind == "checked":
            pins = {**pins, "differ": self._wire(register.q)}
        return register.instance(f"{self._name}_{kind}", "kept", **pins)

    def _is_word(self, register: Register) -> bool:
        return self._marks.get(register.q) == WORD

    def _wire(self, of: str) -> str:
        """A further wire that says that copies differ."""
        self._told.append(f"{of}$differ")
        return self._told[-1]

    def _led(self, kind: str, instance: str, pins: str) -> str:
        """An instance whose output is led on, or the end of all of them."""
        cell = f"  cell {kind} {instance}\n{pins}"
        if kind == f"\\{DIFFER}":
            (target,) = re.findall(r"connect \\differ (.*)\n", pins)
            return "".join(self._any(target))
        if kind == f"\\{PARITY}":
            return f"  cell \\{self._name}_parity {instance}\n{pins}  end\n"
        if kind in {f"\\{self._name}_{own}" for own in ("copy", "checked", "voted")}:
            return f"{cell}  end\n"
        if kind not in self._done:
            raise InputError(
                f"{option('protect', 'detect')}: nobody sees flips in registers of "
                f"{kind[1:]}, which is not an Amaranth component"
            )
        if not self._done[kind][1]:
            return f"{cell}  end\n"
        return f"{cell}    connect {_OUT} {self._wire(instance)}\n  end\n"

    def _any(self, target: str) -> Iterator[str]:
        """The lines of a cell that says whether any copies differ."""
        yield f"  cell $reduce_or {_OUT}$any\n"
        yield "    parameter \\A_SIGNED 0\n"
        yield f"    parameter \\A_WIDTH {len(self._told)}\n"
        yield "    parameter \\Y_WIDTH 1\n"
        yield f"    connect \\A {{ {' '.join(self._told)} }}\n"
        yield f"    connect \\Y {target}\n"
        yield "  end\n"
