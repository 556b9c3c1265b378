"""Write the output folder, whole or not at all."""

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from noc import fabric as fabrics
from noc.chips import Cut
from noc.design import AnyDesign
from noc.emit.bus import BusEnds
from noc.emit.chips import ChipFiles
from noc.emit.endpoints import Wrapper, describe_endpoints
from noc.emit.guides import (
    README,
    build_instance,
    build_readme,
    describe_slices,
    describe_words,
    instance_file,
)
from noc.emit.held import HeldFiles
from noc.emit.interfaces import Interfaces
from noc.emit.manifest import build_manifest, owners_of_signals
from noc.emit.module import Module, Port, separate
from noc.emit.names import check_apart, check_name
from noc.emit.replace import SUMS, check_folder, replace_folder
from noc.emit.scripts import build_scripts
from noc.emit.tool_files import build_constraints, build_core, build_lint, list_verilog
from noc.emit.vectors import Vectors
from noc.emit.verilog import all_ports, modules
from noc.emit.waves import build_waves
from noc.endpoints import Endpoints
from noc.hardware import assemble
from noc.harness import LOAD, LOADING
from noc.networks import is_own_graph
from noc.networks.exchange import export
from noc.programs.compile import Progress

__all__ = ["GRAPH", "build_files", "check_folder", "write"]

#: The user's own graph as it was, so that the folder does not depend on the user's file.
GRAPH = "graph.json"

#: What every folder's ``bench/`` has and the package uses too.
_SHARED = ("simulators.py", "harness.py", "harness.h")

#: What all benches share, and the programs that a user starts.
_BENCH = (
    *("folder.py", "latency.py", "operations.py", "streams.py", "driver.py", "run.py"),
    *("stress.py", "stress_plan.py"),
    *("stress.cpp", "stress_plan.h", "stress_words.h", "stress_sums.h", "stress_check.h"),
)

#: Without endpoints: the network's own streams, with its own clock.
PLAIN = Endpoints()


def build_files(
    design: AnyDesign,
    endpoints: Endpoints = PLAIN,
    *,
    name: str | None = None,
    one_file_per_module: bool = False,
    vector_ports: bool = False,
    systemverilog: bool = False,
    scripts: Sequence[str] = (),
    bus: BusEnds | None = None,
    held_alarms: bool = False,
    chips: Cut | None = None,
    more: Mapping[str, str] | None = None,
    command: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, str]:
    """Every file of the folder by its path, but for the sums of all.

    Parameters
    ----------
    design : AnyDesign
        The network.
    endpoints : Endpoints
        What is between its nodes and their routers.
    name : str, optional
        The name of the network's module, with which the names of all modules begin, and of all
        files that bear their names; without, it is made of the network's.
    one_file_per_module : bool
        Whether modules that only one other has are files of their own too.
    vector_ports : bool
        Whether there is a module around that with vectors of all nodes' signals.
    systemverilog : bool
        Whether there is one around that, for SystemVerilog, with an interface for each stream.
    scripts : sequence of str
        For which tools there are scripts: ``vivado``, ``librelane``, ``siliconcompiler``.
    bus : BusEnds, optional
        The ends that are written for CPUs.
    held_alarms : bool
        Whether there is a module beside the network in which its alarms stay; on several chips
        one for each chip, with those of its links.
    chips : Cut, optional
        The chips that it lies on.
    more : dict of str, optional
        Other files that are to be in the folder, by their paths.
    command : sequence of str, optional
        The words of the command that asks for it, for whoever reads the folder.
    progress : callable, optional
        Told how much is done, 0 to 1.
    """
    if name is not None:
        check_name(name)
    endpoints.check(design)
    if bus is not None:
        bus.check(design, endpoints)
    wrapper = Wrapper(design, endpoints, name) if endpoints.any else None
    document = build_manifest(design, [], name)
    cut = None if chips is None else ChipFiles(chips, name, held_alarms=held_alarms)
    benches = document["benches"] = _benches(design, document["top"], wrapper, cut)
    verilog = modules(design, name=name, progress=progress)
    if name is not None:
        check_apart(name, verilog[0].text)
    ports, around, vectors = _surround(
        design, document, wrapper, vectors=vector_ports or systemverilog
    )
    verilog += around
    if one_file_per_module:
        verilog = [single for module in verilog for single in separate(module)]
    top = list(ports)[-1]
    files = {f"{module.name}.v": module.text for module in verilog}
    if systemverilog and vectors is not None:
        files |= _interfaces(design, document, vectors)
    if endpoints.crossing and wrapper is not None:
        constraints = build_constraints(wrapper, vectors)
        files |= {f"{top}{end}": text for end, text in constraints.items()}
    files[f"{top}.f"] = list_verilog(files)
    held = None
    if held_alarms and cut is None:
        held = HeldFiles(document["top"], document["nodes"], ports[document["top"]])
    beside = _beside(design, document, held, bus, cut)
    beside |= more or {}
    files[f"{top}.vlt"] = build_lint([*files, *beside])
    describe = fabrics.module(design.fabric, "describe")
    files |= describe.files(design, name)
    files["program.json"] = _json(describe.program(design, name))
    if is_own_graph(design.network.spec):
        files[GRAPH] = _json(export(design.network))
    files |= _bench_files(design, benches)
    files[f"{top}.core"] = build_core(design, top, [*files, "manifest.json"], beside)
    files |= _instances(document, ports, wrapper)
    benched = {module: ports[module] for module in benches.values() if module in ports}
    files |= build_waves(document, benched, vectors)
    files |= build_scripts(scripts, document, top, [*files])
    files |= beside
    listed = [*files, README, "manifest.json", SUMS]
    files[README] = build_readme(document, top, listed, command)
    document["files"] = listed
    files["manifest.json"] = _json(document)
    return files


def _benches(
    design: AnyDesign, top: str, wrapper: Wrapper | None, cut: ChipFiles | None
) -> dict[str, str]:
    """The benches, and the module that each is for."""
    return {
        "network": top,
        **({} if design.load_format is None else {"tables": top}),
        **({} if wrapper is None else {"endpoints": wrapper.name}),
        **({} if cut is None else {"chips": cut.chips_top}),
    }


def _surround(
    design: AnyDesign, document: dict[str, Any], wrapper: Wrapper | None, *, vectors: bool
) -> tuple[dict[str, list[Port]], list[Module], Vectors | None]:
    """The modules around a network, of which the manifest is told.

    By their names the ports of each module that is somebody's top, of which the last is the
    outermost; then the modules, and that with vectors.
    """
    # Each has these ports too.
    written = {name: document[name] for name in (LOAD, LOADING) if name in document}
    ports, around = {document["top"]: all_ports(assemble(design))}, list[Module]()
    if wrapper is not None:
        sections = describe_endpoints(wrapper, document["nodes"])
        document |= {name: section | written for name, section in sections.items()}
        ports[wrapper.name] = wrapper.ports
        around += wrapper.modules()
    if not vectors:
        return ports, around, None
    outer = Vectors(document, [*ports.values()][-1])
    document["vectors"] = outer.describe() | written
    ports[outer.name] = outer.ports
    return ports, [*around, outer.module()], outer


def _interfaces(design: AnyDesign, document: dict[str, Any], vectors: Vectors) -> dict[str, str]:
    """The module for SystemVerilog around that with vectors, of which the manifest is told."""
    names = assemble(design).names
    labels = {names[node]: design.network.label(node) for node in design.in_order}
    interfaces = Interfaces(vectors, document.get("operations", {}), labels)
    document["interfaces"] = interfaces.describe()
    return {f"{interfaces.name}.sv": interfaces.text()}


def _beside(
    design: AnyDesign,
    document: dict[str, Any],
    held: HeldFiles | None,
    bus: BusEnds | None,
    cut: ChipFiles | None,
) -> dict[str, str]:
    """What stands beside a network in folders of its own, of which the manifest is told."""
    files = dict[str, str]()
    if held is not None:
        files |= held.files()
        document["alarms"] = held.describe()
    if bus is not None:
        files |= bus.files(design, document)
        document["bus"] = bus.describe(design, document["top"])
    if cut is not None:
        files |= cut.files(document)
        document["chips"] = cut.describe(document)
    return files


def _bench_files(design: AnyDesign, benches: Iterable[str]) -> dict[str, str]:
    """The files of ``bench/``."""
    package = resources.files("noc")
    own = fabrics.module(design.fabric, "describe").BENCH_FILES
    names = [*_BENCH, *(f"{name}.py" for name in benches), *own]
    # That of chips is made of tests of endpoints.
    names += ["endpoints.py"] * ("chips" in benches)
    scripts = [package / name for name in _SHARED]
    scripts += [package / "emit" / "bench" / name for name in names]
    return {f"bench/{script.name}": script.read_text(encoding="utf-8") for script in scripts}


def _instances(
    document: dict[str, Any], ports: dict[str, list[Port]], wrapper: Wrapper | None
) -> dict[str, str]:
    """An instance to copy of each module that a design of the user's may have."""
    owners = owners_of_signals(document)
    # Inside endpoints the network is nobody else's.
    inside = {document["top"]} if wrapper is not None else set()
    notes = {document["top"]: describe_words(document)}
    if "vectors" in document:
        notes[document["vectors"]["top"]] = describe_slices(document)
    return {
        instance_file(top): build_instance(top, ports[top], owners, list(notes.get(top, ())))
        for top in ports
        if top not in inside
    }


def write(
    design: AnyDesign,
    folder: Path | str,
    endpoints: Endpoints = PLAIN,
    *,
    discard_edits: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Write the folder of :func:`build_files`, with its options, and return the manifest.

    The folder may be new, empty, or one that was written before, which is replaced unless a person
    changed it, or if those edits may be discarded. Nothing is left behind if the writing fails.
    """
    folder = Path(folder)
    check_folder(folder, discard_edits=discard_edits)
    files = build_files(design, endpoints, **options)
    with replace_folder(folder) as staging:
        for place, text in files.items():
            path = staging / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    result: dict[str, Any] = json.loads(files["manifest.json"])
    return result


def _json(document: dict[str, Any]) -> str:
    """One line for each entry of a list, so that a person can read it and diff it."""
    lines = ["{"]
    for key, value in document.items():
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list) and value:
            rows = ",\n  ".join(json.dumps(entry, ensure_ascii=False) for entry in value)
            text = f"[\n  {rows}\n ]"
        lines.append(f" {json.dumps(key)}: {text},")
    lines[-1] = lines[-1].rstrip(",")
    return "\n".join([*lines, "}", ""])
