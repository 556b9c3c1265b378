"""Write the output folder, whole or not at all."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

from noc.design import AnyDesign, Design, OrderedDesign
from noc.emit.constraints import build_sdc, build_xdc
from noc.emit.core import build_core, build_lint, list_verilog
from noc.emit.endpoints import Wrapper
from noc.emit.endpoints_manifest import describe_endpoints
from noc.emit.manifest import build_manifest
from noc.emit.module import separate
from noc.emit.names import check_apart, check_name
from noc.emit.program import describe_program, describe_roms
from noc.emit.replace import SUMS, check_folder, replace_folder
from noc.emit.verilog import modules, top_name
from noc.endpoints import Endpoints
from noc.networks.graph_json import export

__all__ = ["GRAPH", "build_files", "check_folder", "write"]

#: The user's own graph as it was, so that the folder does not depend on the user's file.
GRAPH = "graph.json"

#: What stands in every folder's ``bench/`` and is used by the package too.
_SHARED = ("simulators.py", "harness.py", "harness.h")

#: What all benches share, and the programs that a user starts.
_BENCH = (
    *("folder.py", "latency.py", "driver.py", "run.py", "certificate.py"),
    *("stress.py", "stress_plan.py", "stress.cpp", "stress_plan.h"),
    *("stress_words.h", "stress_check.h"),
)

#: Without endpoints: the network's own streams, with its own clock.
PLAIN = Endpoints()


def build_files(
    design: AnyDesign,
    endpoints: Endpoints = PLAIN,
    *,
    name: str | None = None,
    one_file_per_module: bool = False,
) -> dict[str, str]:
    """Every file of the folder by its path, but for the sums of all.

    Parameters
    ----------
    design : Design
        The network.
    endpoints : Endpoints
        What stands at its nodes.
    name : str, optional
        The name of the network's module, with which the names of all modules begin, and of all
        files that bear their names; without, it is made of the network's.
    one_file_per_module : bool
        Whether modules that only one other has are files of their own too.
    """
    if name is not None:
        check_name(name)
    endpoints.check(design)
    wrapper = Wrapper(design, endpoints, name) if endpoints.any else None
    verilog = modules(design, name=name)
    if name is not None:
        check_apart(name, verilog[0].text)
    if wrapper is not None:
        verilog += wrapper.modules()
    if one_file_per_module:
        verilog = [single for module in verilog for single in separate(module)]
    files = {f"{module.name}.v": module.text for module in verilog}
    top = top_name(design, name) if wrapper is None else wrapper.name
    if endpoints.crossing and wrapper is not None:
        files |= {f"{top}.sdc": build_sdc(wrapper), f"{top}.xdc": build_xdc(wrapper)}
    files |= {f"{top}.f": list_verilog(files), f"{top}.vlt": build_lint(files)}
    if isinstance(design, Design):
        files |= {f"rom/{router}.txt": text for router, text in describe_roms(design, name).items()}
    files["program.json"] = _json(describe_program(design, name))
    if design.network.family in ("file", "graph"):
        files[GRAPH] = _json(export(design.network))
    benches = _benches(design, top_name(design, name), wrapper)
    package = resources.files("noc")
    scripts = [package / name for name in _SHARED]
    scripts += [package / "emit" / "bench" / name for name in _BENCH]
    scripts += [package / "emit" / "bench" / f"{name}.py" for name in benches]
    for script in scripts:
        files[f"bench/{script.name}"] = script.read_text(encoding="utf-8")
    files[f"{top}.core"] = build_core(design, top, [*files, "manifest.json"])
    document = build_manifest(design, [*files, "manifest.json", SUMS], name)
    document["benches"] = benches
    if wrapper is not None:
        document |= describe_endpoints(wrapper)
    files["manifest.json"] = _json(document)
    return files


def _benches(design: AnyDesign, network: str, wrapper: Wrapper | None) -> dict[str, str]:
    """The benches, and the module that each is for."""
    result = {_bench_of_network(design): network}
    if wrapper is not None:
        bench = "node_clocks" if wrapper.endpoints.axi is None else "axi_stream"
        result[bench] = wrapper.name
    return result


def _bench_of_network(design: AnyDesign) -> str:
    if not isinstance(design, OrderedDesign):
        return "broadcast"
    return "ordered" if design.program.operations is None else "collectives"


def write(
    design: AnyDesign,
    folder: Path | str,
    endpoints: Endpoints = PLAIN,
    *,
    name: str | None = None,
    one_file_per_module: bool = False,
    discard_edits: bool = False,
) -> dict[str, Any]:
    """Write the folder of :func:`contents` and return the manifest.

    The folder may be new, empty, or one that was written before, which is replaced unless a person
    changed it, or if those edits may be discarded. Nothing is left behind if the writing fails.
    """
    folder = Path(folder)
    check_folder(folder, discard_edits=discard_edits)
    files = build_files(design, endpoints, name=name, one_file_per_module=one_file_per_module)
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
