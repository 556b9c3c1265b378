"""Ends by which a CPU gives and takes the words of a node: Verilog, SystemRDL, and drivers."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import accumulate
from typing import Any

from noc.bus import AxiLiteEnd, Register, WishboneEnd, list_registers
from noc.bus.end import MOST_DEPTH
from noc.bus.registers import BITS, MOST_STREAMS, OWN_ALARMS, count_data
from noc.design import AnyDesign
from noc.emit.drivers.noc_bus import has_barrier, list_gives, number_nodes
from noc.emit.module import convert
from noc.emit.names import constant
from noc.endpoints import Endpoints
from noc.errors import InputError, option, switch
from noc.hardware import assemble
from noc.harness import ALARMS

#: The ends that there are, by the names of their buses.
_ENDS = {"wishbone": WishboneEnd, "axi4-lite": AxiLiteEnd}

#: Where the files lie in a folder: they are no part of the network.
FOLDER = "bus"

#: Nodes and operations that fit the fields of registers.
_MOST_NODES, _MOST_OPERATIONS = 1 << 16, 1 << 8

_RDL_ACCESS = {
    "r": "sw=r; hw=w;",
    "w": "sw=w; hw=r;",
    "rw": "sw=rw; hw=r;",
    "w1c": "sw=rw; onwrite=woclr; hw=w;",
}


@dataclass(frozen=True)
class BusEnds:
    """Which ends are written for a design."""

    #: ``wishbone``, ``axi4-lite`` or both.
    buses: Sequence[str]
    #: Words that can wait to be given, and as many to be taken.
    depth: int = 16

    def check(self, design: AnyDesign, endpoints: Endpoints) -> None:
        """Refuse what cannot be had, of a design with something else at its nodes."""
        for bus in self.buses:
            if bus not in _ENDS:
                raise InputError(f"{option('bus', bus)}: {', '.join(_ENDS)} are allowed")
        if type(self.depth) is not int or not 1 <= self.depth <= MOST_DEPTH:
            raise InputError(
                f"{option('bus_depth', self.depth)}: from 1 to {MOST_DEPTH} are allowed"
            )
        asked = option("bus", ",".join(self.buses))
        if design.in_rounds and not design.words.ends:
            raise InputError(
                f"{asked}: is for words that come one by one; in rounds they do with "
                f"{option('start', 'ready')} and {option('ejects', 'one')}"
            )
        if count_injects(design) > MOST_STREAMS:
            raise InputError(f"{asked}: registers name {MOST_STREAMS} inject streams of a node")
        if design.always_ready:
            raise InputError(
                f"{asked}: words wait there until they are read; use {option('sinks', 'stalling')}"
            )
        if design.words.voids:
            raise InputError(f"{asked}: {switch('void_words', True)}: no register says so")
        if endpoints.any:
            raise InputError(
                f"{asked}: stands at the network's own streams, in its clock; leave out AXI-Stream "
                "and clocks of the nodes"
            )
        if design.sources == "one" and len(design.senders) > 1:
            raise InputError(
                f"{asked}: a CPU does not see when the next source may send; use "
                f"{option('sources', 'all')}"
            )
        if design.network.nodes > _MOST_NODES or len(design.operations.listed) > _MOST_OPERATIONS:
            raise InputError(
                f"{asked}: registers name {_MOST_NODES} nodes and {_MOST_OPERATIONS} operations"
            )

    def describe(self, design: AnyDesign, top: str) -> dict[str, Any]:
        """What the manifest says."""
        ends = [
            {"bus": bus, "top": name, "file": f"{FOLDER}/{name}.v"}
            for bus, name in self._names(top).items()
        ]
        return {"depth": self.depth, "alarm": list_alarms(design), "ends": ends}

    def files(self, design: AnyDesign, manifest: Mapping[str, Any]) -> dict[str, str]:
        """The files by their paths, of a design and what the manifest says of its network."""
        top = manifest["top"]
        options = {"alarms": len(list_alarms(design)), "streams": count_injects(design)}
        modules = [
            convert(_ENDS[bus](design.words, depth=self.depth, **options), name)
            for bus, name in self._names(top).items()
        ]
        registers = list_registers(design.words)
        return {
            **{f"{FOLDER}/{module.name}.v": module.text for module in modules},
            f"{FOLDER}/{top}_bus.rdl": "\n".join([*write_rdl(top, registers), ""]),
            f"{FOLDER}/{top}_bus.h": write_header(design, manifest, registers),
            f"{FOLDER}/noc_bus.py": _read("noc_bus.py"),
        }

    def _names(self, top: str) -> dict[str, str]:
        """The module of each end."""
        return {bus: f"{top}_{bus.replace('-', '_')}" for bus in self.buses}


def count_injects(design: AnyDesign) -> int:
    """The inject streams of the node that has most."""
    return max(1, *(len(design.inject_lanes(node)) for node in range(design.network.nodes)))


def list_alarms(design: AnyDesign) -> list[str]:
    """The alarms that some node has: a bit of ``alarm`` is any bit of one."""
    assembly = assemble(design)
    there = {alarm for node in range(design.network.nodes) for alarm in assembly.outputs(node)}
    return [alarm for alarm in ALARMS if alarm in there]


def write_rdl(top: str, registers: Sequence[Register]) -> Iterator[str]:
    """The registers as SystemRDL."""
    yield f"addrmap {top}_bus {{"
    yield f'    name = "a node of {top} behind a bus";'
    yield f"    default regwidth = {BITS};"
    yield f"    default accesswidth = {BITS};"
    for register in registers:
        yield "    reg {"
        yield f'        desc = "{register.summary}";'
        for field in register.fields:
            yield "        field {"
            yield f'            desc = "{field.summary}"; {_RDL_ACCESS[register.access]}'
            yield f"        }} {field.name}[{field.first + field.bits - 1}:{field.first}];"
        many = f"[{register.many}]" if register.many > 1 else ""
        yield f"    }} {register.name}{many} @ 0x{4 * register.address:02X};"
    yield "};"


def write_header(
    design: AnyDesign, manifest: Mapping[str, Any], registers: Sequence[Register]
) -> str:
    """Constants of the network, and the driver, for C and C++."""
    told = _round_constants(manifest) if design.in_rounds else _operation_constants(design)
    constants = [*_constants(design, registers), *told]
    kind = "noc_rounds.h" if design.in_rounds else "noc_operations.h"
    text = _read("noc_bus.h").replace("/* DRIVER */\n", _read(kind))
    text = text.replace("/* ACCESS */\n", _read("noc_access.h"))
    return text.replace("/* CONSTANTS */\n", "\n".join([*constants, ""]))


def _read(driver: str) -> str:
    """A part of a driver."""
    return (resources.files("noc") / "emit" / "drivers" / driver).read_text(encoding="utf-8")


def _operation_constants(design: AnyDesign) -> Iterator[str]:
    """What words can ask for."""
    yield "/* Operations. */"
    for number, operation in enumerate(design.operations.listed):
        yield f"#define NOC_OP_{constant(str(operation))} {number}"


def _round_constants(manifest: Mapping[str, Any]) -> Iterator[str]:
    """What nodes give in a round."""
    yield "/* What is sent in a round. */"
    yield f"#define NOC_{constant(manifest.get('exchange', 'all_gather'))}"
    if has_barrier(manifest):
        yield "#define NOC_BARRIER"
    if "root" in manifest:
        yield f"#define NOC_ROOT {number_nodes(manifest)[manifest['root']]}"
    if "sums" in manifest:
        yield f"#define NOC_SUMS {manifest['sums']}"
    gives = [list_gives(manifest, node) for node in range(len(manifest["nodes"]))]
    yield "/* Whether a node takes words; where those begin that it gives in a round, in order; and"
    yield " * for which node each of these is, or of which sum, and its inject stream. */"
    yield _array("uint8_t noc_takes", [int(bool(node["order"])) for node in manifest["nodes"]])
    yield _array("uint32_t noc_first", accumulate(map(len, gives), initial=0))
    pairs = [f"{{{number}, {stream}}}" for node in gives for number, stream in node]
    yield _array("struct { uint16_t number; uint8_t stream; } noc_gives", pairs)


def _array(name: str, entries: Iterable[object]) -> str:
    """An array of constants, in C."""
    text = textwrap.fill(", ".join(map(str, entries)), 96)
    return f"static const {name}[] = {{\n{textwrap.indent(text, '    ')}\n}};"


def _constants(design: AnyDesign, registers: Sequence[Register]) -> Iterator[str]:
    yield f"/* {design.network.spec}, {design.fabric}, of {design.width} bits. */"
    yield f"#define NOC_WIDTH {design.width}"
    yield f"#define NOC_DATA_WORDS {count_data(design.words)}"
    yield f"#define NOC_NODES {design.network.nodes}"
    yield "/* Bits of the register alarm. */"
    for bit, alarm in enumerate((*OWN_ALARMS, *list_alarms(design))):
        yield f"#define NOC_ALARM_{constant(alarm)} (UINT32_C(1) << {bit})"
    yield "/* Registers, and their fields. */"
    for register in registers:
        name = constant(register.name)
        yield f"#define NOC_{name} 0x{4 * register.address:02X}"
        for field in register.fields:
            if field.bits < BITS:
                yield f"#define NOC_{name}_{constant(field.name)}_SHIFT {field.first}"
                yield f"#define NOC_{name}_{constant(field.name)}_MASK 0x{(1 << field.bits) - 1:X}"
