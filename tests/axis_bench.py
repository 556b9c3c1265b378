"""Several tops with endpoints in one build, of which each simulation runs one.

The bench has the ports of all of them. The plusarg ``variant`` chooses the top that gets clocks and
inputs and whose outputs are seen, so that a bench written by ``noc generate`` runs on it unchanged.
"""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from noc.design import FabricName, build_design
from noc.emit.folder import write
from noc.endpoints import Endpoints
from noc.harness import BENCH
from noc.networks import build_network
from noc.simulators import SIMULATORS, compose_test, execute, failures
from noc.verify.simulation import Simulation
from noc.verify.tools import environment

SPEC = "hypercube:2"

PORT = re.compile(r"^  (input|output) (\[\d+:0\] )?(\w+),?$", re.MULTILINE)


@dataclass(frozen=True)
class Variant:
    """A top: its endpoints, and the changes to its text, each a pattern and its replacement."""

    endpoints: Endpoints
    width: int = 16
    fabric: FabricName = "ordered"
    faults: tuple[tuple[str, str], ...] = ()
    operations: tuple[str, ...] | None = None

    def write(self, folder: Path) -> None:
        built = build_design(
            build_network(SPEC),
            fabric=self.fabric,
            width=self.width,
            operations=self.operations,
            groups={"pair": [1, 2]} if self.operations else None,
        )
        write(self.endpoints.widened(built), folder, self.endpoints)


class Build:
    """The compiled variants, by name; those that differ in faults only share a folder."""

    def __init__(self, folder: Path, parts: Path, variants: dict[str, Variant]) -> None:
        self.names, self.folders = list(variants), {}
        written: dict[tuple, Path] = {}
        texts: dict[str, str] = {}
        for number, (name, variant) in enumerate(variants.items()):
            kind = variant.endpoints, variant.width, variant.fabric, variant.operations
            if kind not in written:
                written[kind] = folder / str(number)
                variant.write(written[kind])
            self.folders[name] = written[kind]
            network, own = renamed(written[kind], number)
            for pattern, replacement in variant.faults:
                own, count = re.subn(pattern, replacement, own)
                assert count, f"{name}: {pattern} is not there"
            texts |= {**network, f"variant_{number}": own}
        sources = []
        for module, text in texts.items():
            sources.append(folder / f"{module}.v")
            sources[-1].write_text(text)
        often = {module: len(variants) for module in texts if module.startswith("network")}
        self.simulation = Simulation(folder, tuple(sources), often, long=False, parts=parts)
        tops = [texts[f"variant_{number}"] for number in range(len(variants))]
        self.simulation.bench.write_text("\n".join(selector(tops)))
        self.simulation.build()

    def run(self, name: str, only: str = "") -> str | None:
        """Run the bench of a variant, or only some of its tests; what went wrong, or None."""
        folder = self.folders[name]
        known = json.loads((folder / "manifest.json").read_text())
        with mock.patch.object(sys, "path", [str(folder / "bench"), *sys.path]):
            results, log = (self.simulation.folder / file for file in ("results.xml", "cocotb.txt"))
            for file in (results, log):
                file.unlink(missing_ok=True)
            command = compose_test(
                *(SIMULATORS["verilator"], self.simulation.job, [list(known["benches"])[-1]]),
                folder=folder / "bench",
                results=results,
                plusargs=[f"+variant={self.names.index(name)}"],
            )
            execute(command, {**environment("verilator"), "COCOTB_TEST_FILTER": only}, log)
        if failures(results) == 0:
            return None
        return "; ".join(re.findall(r"AssertionError: (.+)", log.read_text()))


def renamed(folder: Path, number: int) -> tuple[dict[str, str], str]:
    """The modules of the network, and the text of a top with its endpoints, all renamed.

    Networks of one fabric and width are the same, and are called so.
    """
    known = json.loads((folder / "manifest.json").read_text())
    top = known["axis" if "axis" in known else "node_clocks"]["top"]
    texts = {Path(f).stem: (folder / f).read_text() for f in known["files"] if f.endswith(".v")}
    does = "words" if "operations" in known else "broadcasts"
    network, there = known["top"], f"network_{known['fabric']}_{known['width']}_{does}"
    own = "".join(text for module, text in texts.items() if module.startswith(top))
    own = own.replace(top, f"variant_{number}").replace(f"{network} ", f"{there} ")
    others = {
        module.replace(network, there): text.replace(network, there)
        for module, text in texts.items()
        if not module.startswith(top)
    }
    return others, own


def wires(span: str) -> int:
    """How many a port has."""
    return int(span[1:].partition(":")[0]) if span else 0


def selector(tops: list[str]):
    """The text of the bench."""
    instances = [PORT.findall(text.partition(");")[0]) for text in tops]
    ports: dict[str, tuple[str, str]] = {}
    for direction, span, port in (declared for listed in instances for declared in listed):
        # As wide as in any of them.
        ports[port] = direction, max(span, ports.get(port, ("", ""))[1], key=wires)
    yield f"module {BENCH} ("
    for place, (port, (direction, span)) in enumerate(ports.items()):
        comma = "," if place < len(ports) - 1 else ""
        kind = "wire" if direction == "input" else "reg"
        yield f"  {direction} {kind} {span}{port} /* verilator public_flat_rw */{comma}"
    yield ");"
    yield "  integer variant;"
    yield '  initial if ($value$plusargs("variant=%d", variant) == 0) variant = 0;'
    for number, declared in enumerate(instances):
        for direction, span, port in declared:
            if direction == "output":
                yield f"  wire {span}v{number}_{port};"
        yield f"  variant_{number} v{number} ("
        own = {
            "input": "variant == {number} ? {port} : 1'b0",
            "output": "v{number}_{port}",
        }
        yield ",\n".join(
            f"    .{port}({own[direction].format(number=number, port=port)})"
            for direction, _, port in declared
        )
        yield "  );"
    yield "  always @* begin"
    for port, (direction, _) in ports.items():
        if direction == "output":
            yield f"    {port} = 0;"
    for number, declared in enumerate(instances):
        yield f"    if (variant == {number}) begin"
        for direction, _, port in declared:
            if direction == "output":
                yield f"      {port} = v{number}_{port};"
        yield "    end"
    yield "  end"
    yield "endmodule"
