"""What other tools read: a core file for FuseSoC, and a list of files."""

from collections.abc import Iterable, Mapping

from noc import __version__
from noc.design import Design

__all__ = ["core", "core_name", "file_list"]

HEAD = """\
CAPI=2:
# Written by noc generate. For instance:
#   fusesoc --cores-root . run --target lint {name}
name: {name}
description: Broadcast network {spec}, {algorithm} trees, {nodes} nodes, {width} bits a word

filesets:
"""

TARGETS = """
targets:
  default: &default
    filesets: [{filesets}]
    toplevel: {top}
  lint:
    <<: *default
    description: What Verilator finds to warn of
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall, -Wno-fatal]
"""

SIM = """\
  {target}:
    filesets: [rtl, bench]
    toplevel: {top}
    description: Runs bench/{bench}.py with cocotb
    flow: sim
    flow_options:
      tool: verilator
      cocotb_module: {bench}
      timescale: 1ns/1ps
      verilator_options: [-Wno-fatal, --timescale, 1ns/1ps]
      # The Python package of Verilator leaves open how g++ includes a compiled header.
      make_options: [CFG_CXXFLAGS_PCH_I=-include]
"""


def core_name(top: str) -> str:
    """Vendor, library, name and version of the core."""
    return f"arbornoc:noc:{top}:{__version__}"


def core(design: Design, top: str, files: Iterable[str], benches: Mapping[str, str]) -> str:
    """The core file for FuseSoC of a folder with such files."""
    listed = list(files)
    constraints = [name for name in listed if name.endswith((".sdc", ".xdc"))]
    text = HEAD.format(
        name=core_name(top),
        spec=design.network.spec,
        algorithm=design.program.algorithm,
        nodes=design.network.nodes,
        width=design.width,
    )
    text += _fileset("rtl", [name for name in listed if name.endswith(".v")], "verilogSource-2005")
    if constraints:
        kinds = {".sdc": "SDC", ".xdc": "xdc"}
        entries = [f"{name}: {{file_type: {kinds[name[-4:]]}}}" for name in constraints]
        text += _fileset("constraints", entries, None)
    text += _fileset("bench", [_beside(name) for name in listed if _is_bench(name)], "user")
    filesets = "rtl" + (', "is_toplevel? (constraints)"' if constraints else "")
    text += TARGETS.format(filesets=filesets, top=top)
    for number, (bench, under) in enumerate(benches.items()):
        target = "sim" if number == len(benches) - 1 else f"sim_{bench}"
        text += SIM.format(target=target, bench=bench, top=under)
    return text


def _is_bench(name: str) -> bool:
    return name.startswith("bench/") or name.endswith(".json")


def _beside(name: str) -> str:
    """A file of the bench where the simulator runs, in which Python looks for modules."""
    return f"{name}: {{copyto: {name.rpartition('/')[2]}}}"


def _fileset(name: str, files: Iterable[str], kind: str | None) -> str:
    lines = [f"  {name}:", "    files:", *(f"      - {file}" for file in files)]
    if kind is not None:
        lines.append(f"    file_type: {kind}")
    return "\n".join([*lines, ""])


def file_list(files: Iterable[str]) -> str:
    """The Verilog files, for the option -f of most tools, or -F from another folder."""
    return "".join(f"{name}\n" for name in files if name.endswith(".v"))
