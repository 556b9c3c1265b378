"""Registers in modules in the format of Yosys, as Amaranth writes them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from noc.errors import InputError, option
from noc.options import Protection

#: Wider registers hold what they have by themselves, with the clock enable that flip-flops have: to
#: take it again would be a table a bit. Others take something with every clock edge.
NARROW = 8

ALWAYS = "1'1"

#: One copy of a register, as Verilog.
COPY = """
(* keep_hierarchy = "yes" *)
module {name}_copy (clk, rst, take, d, q);
  parameter WIDTH = 1;
  parameter [WIDTH - 1:0] INIT = 0;
  input clk;
  input rst;
  input take;
  input [WIDTH - 1:0] d;
  output [WIDTH - 1:0] q;
  (* dont_touch = "true", preserve = 1, syn_preserve = 1 *)
  reg [WIDTH - 1:0] q = INIT;
  always @(posedge clk) if (rst) q <= INIT; else if (take) q <= d;
endmodule
"""

CELL = re.compile(r"  cell \$dff \S+\n((?:    .*\n)*)  end\n")

_INIT = re.compile(
    r"  attribute \\init (\S+)\n(?=(?:  attribute .*\n)*  wire width \d+ (?:\w+ +)*(\\?\S+)\n)"
)

#: What holds words, or a row of a table, and is no flip-flop.
_MEMORY = re.compile(r"^  cell \$memwr|^    parameter \\CLK_ENABLE 1", re.MULTILINE)

#: Registers that Amaranth writes only for parts of a user's own: with another reset or clock edge.
_OTHER = re.compile(r"^  cell \$(?:adff|\w*latch)|^    parameter \\CLK_POLARITY 0", re.MULTILINE)

_PROCESS = re.compile(r"  process \S+\n(?:    .*\n)*  end\n")


@dataclass(frozen=True)
class Register:
    """The connections of a register, and the value with which it begins."""

    bits: int
    clock: str
    d: str
    q: str
    begins: str

    @classmethod
    def of(cls, lines: str, begins: dict[str, str]) -> "Register":
        """From the lines of its cell, and the values with which those of a module begin."""
        parts = (line.split(maxsplit=2) for line in lines.splitlines())
        pins = {pin.removeprefix("\\"): value for _, pin, value in parts}
        return cls(int(pins["WIDTH"]), pins["CLK"], pins["D"], pins["Q"], begins[pins["Q"]])

    @property
    def wide(self) -> bool:
        """Whether it is better held by a clock enable."""
        return self.bits >= NARROW

    @cached_property
    def own(self) -> str:
        """All that it has."""
        return f"{self.q} [{self.bits - 1}:0]"

    def instance(self, module: str, name: str, **pins: str) -> str:
        """An instance in its place, which has these pins as well."""
        pins = {"clk": self.clock, "d": self.d, "q": self.q, **pins}
        connected = "".join(f"    connect \\{pin} {wire}\n" for pin, wire in pins.items())
        return (
            f"  cell \\{module} {self.q}${name}\n    parameter \\WIDTH {self.bits}\n"
            f"    parameter \\INIT {self.begins}\n{connected}  end\n"
        )


def split(rtlil: str) -> tuple[str, list[str]]:
    """What is before the modules of a design, and each of them."""
    head, *modules = re.split(r"^(?=module )", rtlil, flags=re.MULTILINE)
    return head, modules


def refuse(module: str, protect: Protection) -> None:
    """Refuse what cannot be copied."""
    if _MEMORY.search(module):
        raise InputError(
            f"{option('protect', protect)}: what lies in memories has no copies: no queues, groups "
            f"whose words wait, slices of words, {option('rom', 'block')} "
            f"and {option('rom', 'writable')}"
        )
    if _OTHER.search(module):
        raise InputError(
            f"{option('protect', protect)}: a register with an asynchronous reset, or that waits "
            "for the falling edge of its clock, has no copies"
        )


def find_registers(module: str) -> list[Register]:
    """The registers of a module."""
    begins = {match[2]: match[1] for match in _INIT.finditer(module)}
    return [Register.of(match[1], begins) for match in CELL.finditer(module)]


def without_values(module: str, registers: list[Register]) -> str:
    """A module in which some registers begin with no value, since what replaces them does."""
    known = {register.q for register in registers}
    return _INIT.sub(lambda match: "" if match[2] in known else match[0], module)


def lead_pins(module: str, register: Register, *, holds: bool) -> tuple[str, dict[str, str]]:
    """A module with wires for what copies of a register have; it may hold by a clock enable."""
    module, reset = _take_reset(module, register)
    module, take = _watch(module, register) if holds else (module, ALWAYS)
    return module, {"rst": reset, "take": take}


def _watch(module: str, register: Register) -> tuple[str, str]:
    """A module with a wire that says when a register takes something, and that wire.

    What a register takes is assigned in one process, which begins with what it has.
    """
    target, own = register.d, register.own
    take = f"{register.q}$take"
    for process in _processes(module, rf"\n    assign {re.escape(target)} {re.escape(own)}\n"):
        if set(re.findall(r"assign (\S+ \[\S+\]) ", process)) != {target}:
            break

        def beside(line: "re.Match[str]") -> str:
            if line[2] != own:
                return f"{line[0]}{line[1]}assign {take} 1'1\n"
            # What is not taken may be anything.
            nothing = f"{line[1]}assign {target} {register.bits}'{'x' * register.bits}\n"
            return f"{nothing}{line[1]}assign {take} 1'0\n"

        pattern = rf"^( +)assign {re.escape(target)} (.*)\n"
        told = re.sub(pattern, beside, process, flags=re.MULTILINE)
        return module.replace(process, f"  wire width 1 {take}\n\n{told}"), take
    return module, ALWAYS


def _processes(module: str, pattern: str) -> Iterator[str]:
    """The processes with some lines."""
    for match in _PROCESS.finditer(module):
        if re.search(pattern, match[0]):
            yield match[0]


def _take_reset(module: str, register: Register) -> tuple[str, str]:
    """A module in which a register is reset by itself, and the wire that resets it, or 0.

    That is the last thing which its process decides. In a register it costs no gate.
    """
    assigned = re.escape(f"assign {register.d} {register.begins}")
    last = rf"    switch (\\rst \[0\])\n      case 1'1\n        {assigned}\n    end\n  end\n"
    for process in _processes(module, last + r"\Z"):
        found = re.search(last, process)
        if found is None or set(re.findall(r"assign (\S+ \[\S+\]) ", process)) != {register.d}:
            break
        return module.replace(process, f"{process[: found.start()]}  end\n"), found[1]
    return module, "1'0"
