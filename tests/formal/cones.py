"""What the bits of a netlist depend on."""

import json
from collections.abc import Iterable
from pathlib import Path

from amaranth.hdl import Value
from amaranth.lib import wiring

from formal import tool
from formal.parts import WIDTH, Part
from noc.hardware import Router

_SCRIPT = (
    "read_rtlil top.il; prep -flatten -top top; memory_map; opt_clean; techmap; simplemap;"
    " opt_clean; write_json top.json\n"
)


# Several questions are asked about each netlist.
_READ: dict[str, "Netlist"] = {}


class Netlist:
    """The gates of the design in a folder, where it is ``top.il``, one bit each."""

    def __init__(self, folder: Path) -> None:
        tool.run_yosys(folder, _SCRIPT)
        module = json.loads((folder / "top.json").read_text())["modules"]["top"]
        self._ports = module["ports"]
        self._inputs = {
            bit: (name, index)
            for name, port in self._ports.items()
            if port["direction"] == "input"
            for index, bit in enumerate(port["bits"])
        }
        self._before: dict[int, tuple[bool, list[int]]] = {}
        for cell in module["cells"].values():
            if cell["type"] != "$scopeinfo":
                self._add(cell)

    def _add(self, cell: dict) -> None:
        drives, reads = [], []
        for name, bits in cell["connections"].items():
            output = cell["port_directions"][name] == "output"
            (drives if output else reads).extend(bit for bit in bits if isinstance(bit, int))
        register = "DFF" in cell["type"].upper()
        if not register and not cell["type"].startswith("$_"):
            raise ValueError(f"not a gate: {cell['type']}")
        self._before |= dict.fromkeys(drives, (register, reads))

    def outputs(self) -> Iterable[tuple[str, int, int]]:
        """Every bit of every output, as (name, index, net)."""
        for name, port in self._ports.items():
            if port["direction"] == "output":
                for index, bit in enumerate(port["bits"]):
                    if isinstance(bit, int):
                        yield name, index, bit

    def sources(self, bit: int, *, through_registers: bool) -> set[tuple[str, int]]:
        """The input bits, as (name, index), on which a net depends."""
        inputs, seen, stack = set(), {bit}, [bit]
        while stack:
            now = stack.pop()
            if now in self._inputs:
                inputs.add(self._inputs[now])
            register, reads = self._before.get(now, (False, []))
            if not register or through_registers:
                stack += [net for net in reads if net not in seen]
                seen.update(reads)
        return inputs


def gates(folder: Path, component: wiring.Component) -> Netlist:
    """That of a component, written into a folder, unless the same text was read before."""
    text = tool.write(folder, component, tool.ports_of(component)).read_text()
    if text not in _READ:
        _READ[text] = Netlist(folder)
    return _READ[text]


def ready_chains(folder: Path, router: Router) -> list[tuple[str, str]]:
    """Outputs with an input on which they depend within a cycle, where they must not.

    ``ready`` of in-ports may depend on ``valid`` of in-ports, behind a relay on nothing; all else
    on registers.
    """
    netlist = gates(folder, router)
    links = ("in_",) if router.config.link_registers == 1 else ()
    return [
        (name, source)
        for name, _, net in netlist.outputs()
        for source, _ in netlist.sources(net, through_registers=False)
        if name.startswith(("out", "eject", *links)) or not source.endswith("valid")
    ]


def payload_leaks(folder: Path, router: Router) -> list[tuple[str, str]]:
    """Outputs that ever depend on bits of the payload, other than the same bit on its way out."""
    netlist, table = gates(folder, router), router.table
    header = {f"in_{port.number}__payload": table.code_bits for port in table.in_ports}
    header |= {f"out_{port}__payload": bits for port, bits in table.out_bits}
    header["eject__payload"] = 0
    if table.trees:
        header["inject__payload"] = len(Value.cast(router.inject.payload)) - router.width
    return [
        (f"{name}[{index}]", f"{source}[{bit}]")
        for name, index, net in netlist.outputs()
        for source, bit in netlist.sources(net, through_registers=True)
        if source in header
        and bit >= header[source]
        and index - header.get(name, index + 1) != bit - header[source]
    ]


#: Streams of the way down through a node that is no root; all others belong to the way up.
DOWNWARDS = ("down", "eject")

#: What belongs to no stream.
_APART = ("clk", "rst", "number")


def paths(folder: Path, part: Part) -> set[tuple[str, str]]:
    """Each output, with each input on which it depends within a cycle."""
    return _dependences(folder, part, through_registers=False)


def _dependences(folder: Path, part: Part, *, through_registers: bool) -> set[tuple[str, str]]:
    netlist = gates(folder, part.component)
    return {
        (output, source)
        for output, _, net in netlist.outputs()
        for source, _ in netlist.sources(net, through_registers=through_registers)
    }


def data_leaks(folder: Path, part: Part) -> list[tuple[str, str]]:
    """Outputs that ever depend on a bit of data, other than the same bit on its way out."""
    netlist = gates(folder, part.component)
    return [
        (f"{output}[{index}]", f"{source}[{bit}]")
        for output, index, net in netlist.outputs()
        for source, bit in netlist.sources(net, through_registers=True)
        if source.endswith("payload") and bit < WIDTH
        if not output.endswith("payload") or index != bit
    ]


def joined_ways(folder: Path, part: Part) -> set[tuple[str, str]]:
    """Outputs of one way through a node that ever depend on an input of the other way."""
    return {
        (output, source)
        for output, source in _dependences(folder, part, through_registers=True)
        if source not in _APART and output.startswith(DOWNWARDS) != source.startswith(DOWNWARDS)
    }
