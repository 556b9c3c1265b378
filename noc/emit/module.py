"""Verilog modules as text: from Amaranth, and one by one."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from amaranth.back import verilog
from amaranth.hdl import Shape
from amaranth.lib import wiring

__all__ = ["CLOCKED", "Module", "Port", "converted", "instance", "ports_of", "separate"]

# Names that Amaranth and Yosys made up begin with a dollar sign.
UNNAMED = re.compile(r"\\\$(\S+) ")

# Yosys wakes each ``always @*`` at the start with a register that gets its value then. To
# SystemVerilog an initial value in the declaration is no event: blocks of which no input ever
# changes would stay undefined in Icarus.
WAKE = "auto$verilog_backend.cc:"
TRIGGER = re.compile(r"( reg (_wake_\d+_)) = 0;")

# What says that a module is the top. Amaranth writes it for every component that it converts, and
# each is converted by itself, but is the top of nobody's design.
TOP = re.compile(r"^\(\* top = +1 +\*\)\n", re.MULTILINE)

DECLARATION = re.compile(r"^module (\\\S+ |\w+)", re.MULTILINE)

# The ports of a module, by name; and those that Amaranth adds for the clocks of what is in it.
HEADER = re.compile(r"^(module (?:\\\S+ |\w+) ?\()(.*)(?=\);$)", re.MULTILINE)
CLOCK = re.compile(r"(?:\w+_)?(?:clk|rst)")

END = "endmodule\n"

#: What every module with registers has.
CLOCKED = {"clk": "clk", "rst": "rst"}


@dataclass(frozen=True)
class Module:
    """One Verilog module, with those below it that no other has: its name and its text."""

    name: str
    text: str

    def write(self, folder: Path) -> Path:
        """Write it as a file of its name into a folder."""
        path = folder / f"{self.name}.v"
        path.write_text(self.text, encoding="utf-8")
        return path


@dataclass(frozen=True)
class Port:
    """One port of a module: name, direction, bits; a port of 0 bits is left out."""

    name: str
    output: bool
    bits: int

    @property
    def span(self) -> str:
        """The range, as it stands before a name."""
        return f"[{self.bits - 1}:0] " if self.bits > 1 else ""


def converted(component: "wiring.Component[Any]", name: str) -> Module:
    """The Verilog of a component, the same on every machine."""
    # The Yosys that comes with Amaranth: the text must not depend on what is installed.
    with mock.patch.dict(os.environ, {"AMARANTH_USE_YOSYS": "builtin"}):
        text = verilog.convert(component, name=name, emit_src=False)
    # The first line names the tool version.
    text = UNNAMED.sub(_plain, TOP.sub("", text.partition("\n")[2]))
    text = _clocks_in_order(TRIGGER.sub(r"\1; initial \2 = 0;", text))
    return Module(name, _modules_named(text))


def _clocks_in_order(text: str) -> str:
    """Where there are several clocks: headers with clocks and resets by name in their places.

    Amaranth finds several clocks in sets, which no two processes need to read in one order. One
    clock it always finds in the same place.
    """
    header = HEADER.search(text)
    several = header is not None and len(_clocks(header)) > len(CLOCKED)
    return HEADER.sub(_header_in_order, text) if several else text


def _clocks(header: re.Match[str]) -> list[str]:
    return [port for port in header[2].split(", ") if CLOCK.fullmatch(port)]


def _header_in_order(header: re.Match[str]) -> str:
    ordered = iter(sorted(_clocks(header), key=lambda port: (port[:-3], port[-3:])))
    ports = (next(ordered) if CLOCK.fullmatch(port) else port for port in header[2].split(", "))
    return header[1] + ", ".join(ports)


def _plain(unnamed: re.Match[str]) -> str:
    """A name that needs no escape; simulators leave out what begins with an underscore."""
    made_up = unnamed[1]
    if made_up.startswith(WAKE):
        return f"_wake_{made_up.rpartition('$')[2]}_"
    return f"_{re.sub(r'[^A-Za-z0-9]+', '_', made_up)}_"


def instance(module: str, name: str, wires: Mapping[str, str]) -> Iterator[str]:
    """The lines of an instance: its ports, and what each is joined to."""
    yield f"  {module} {name} ("
    yield ",\n".join(f"    .{port}({wire})" for port, wire in wires.items())
    yield "  );"


def ports_of(signature: wiring.Signature) -> Iterator[tuple[str, Port]]:
    """Every port of a component but clocks and resets, with the member that it belongs to."""
    for path, found, _ in signature.flatten(signature.create()):
        # The stubs call it a flow; it is a member.
        member: Any = found
        bits = Shape.cast(member.shape).width
        if bits:
            yield str(path[0]), Port("__".join(map(str, path)), member.flow == wiring.Out, bits)


def separate(module: Module) -> list[Module]:
    """Each module of a text by itself."""
    found = [part + END for part in module.text.split(END) if part.strip()]
    return [Module(_declared(text)[0].strip(), text.lstrip("\n")) for text in found]


def _declared(text: str) -> list[str]:
    return DECLARATION.findall(text)


def _modules_named(text: str) -> str:
    """Names of modules below the first without dots, so that a file can have the name too."""
    for escaped in _declared(text):
        if escaped.startswith("\\"):
            plain = re.sub(r"\W+", "_", escaped[1:].strip(), flags=re.ASCII)
            text = text.replace(escaped, f"{plain} ")
    return text
