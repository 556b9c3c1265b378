"""What other tools read: a core file for FuseSoC, a list of files, and what a linter may pass."""

from collections.abc import Iterable

from noc import __version__
from noc.design import AnyDesign

__all__ = ["build_core", "build_lint", "core_name", "list_verilog"]

HEAD = """\
CAPI=2:
# Written by noc generate. For instance:
#   fusesoc --cores-root FOLDER run --target lint {name}
name: {name}
description: {description}

filesets:
"""

# FuseSoC's own flow for cocotb does not know cocotb 2.1 and takes a failed test for success.
TARGETS = """
targets:
  default:
    filesets: [{filesets}]
    toplevel: "{top}"
  lint: &lint
    description: Every warning of Verilator that says something is an error
    filesets: [rtl, lint]
    toplevel: "{top}"
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
  sim:
    <<: *lint
    description: Runs the cocotb benches with Verilator, as python3 bench/run.py does
    filesets: [rtl, lint, bench]
    hooks:
      post_build: [benches]

scripts:
  benches:
    cmd: [python3, {folder}/bench/run.py]
"""

#: For Verilator: what it says of the style of Verilog that Yosys writes, for which a field of no
#: bits is a wire [-1:0]; and that a reset is synchronous on its own side of a crossing, and on the
#: other side what a synchroniser begins with. Ports that are missing or of another width, and
#: whatever else there is to say of wiring, remain. Each rule, and which of its warnings; all,
#: where none is named.
PASSED = (
    ("ASCRANGE", "*bit range: ?-1:0?"),
    ("CASEINCOMPLETE", ""),
    ("DECLFILENAME", ""),
    ("PROCASSINIT", ""),
    ("SYNCASYNCNET", "Signal flopped as both synchronous and async: '*rst*'"),
    ("UNUSEDSIGNAL", ""),
    ("WIDTHEXPAND", "Operator EQ expects*"),
    ("WIDTHTRUNC", "Logical operator LOGNOT expects*"),
    ("WIDTHTRUNC", "Operator ASSIGNW expects 1 bits*SHIFTR generates*"),
)

#: How FuseSoC calls files of constraints: to Vivado what it calls SDC may be any script, as the
#: .xdc is.
SCRIPT = "SDC"

#: The files of constraints, for a top only: one speaks of registers as Vivado names them.
CONSTRAINTS = '"is_toplevel? (tool_vivado? (xdc) !tool_vivado? (sdc))"'


def core_name(top: str) -> str:
    """Vendor, library, name and version of the core."""
    return f"arbornoc:noc:{top}:{__version__}"


def build_core(design: AnyDesign, top: str, files: Iterable[str]) -> str:
    """The core file for FuseSoC of a folder with such files."""
    listed = list(files)
    net, algorithm = design.network, design.program.algorithm
    description = f"Broadcast network {net.spec}, {algorithm} trees, {net.nodes} nodes"
    text = HEAD.format(name=core_name(top), description=_quoted(description))
    sets = {
        "rtl": [_entry(name, "verilogSource-2005") for name in listed if name.endswith(".v")],
        "lint": [_entry(name, "vlt") for name in listed if name.endswith(".vlt")],
        "sdc": [_entry(name, SCRIPT) for name in listed if name.endswith(".sdc")],
        "xdc": [_entry(name, SCRIPT) for name in listed if name.endswith(".xdc")],
        "bench": [
            _entry(name, "user") for name in listed if name.startswith("bench/") or _read(name)
        ],
    }
    for name, entries in sets.items():
        if entries:
            text += "\n".join([f"  {name}:", "    files:", *entries, ""])
    filesets = f"rtl, {CONSTRAINTS}" if sets["xdc"] else "rtl"
    folder = "src/" + core_name(top).replace(":", "_")
    return text + TARGETS.format(filesets=filesets, top=top, folder=folder)


def _quoted(text: str) -> str:
    """A string of YAML, whatever letters the path of a graph's file has.

    JSON spells some of them as two halves, which YAML does not put together.
    """
    return "".join(['"', *map(_escaped, text), '"'])


def _escaped(letter: str) -> str:
    plain = letter.isascii() and letter.isprintable() and letter not in '"\\'
    return letter if plain else f"\\U{ord(letter):08x}"


def _entry(name: str, kind: str) -> str:
    return f"      - {name}: {{file_type: {kind}}}"


def _read(name: str) -> bool:
    """Whether the benches read it."""
    return name.endswith(".json")


def build_lint(files: Iterable[str]) -> str:
    """What Verilator may pass in the Verilog files, and only there: not in a user's own."""
    lines = ["`verilator_config"]
    for name in files:
        # A star stands for any letters, slashes too: "*name" would be the user's tb_name as well.
        for path in (name, f"*/{name}") if name.endswith(".v") else ():
            for rule, which in PASSED:
                match = f' -match "{which}"' if which else ""
                lines.append(f'lint_off -rule {rule} -file "{path}"{match}')
    return "\n".join([*lines, ""])


def list_verilog(files: Iterable[str]) -> str:
    """The Verilog files, for the option -f of most tools, or -F from another folder."""
    return "".join(f"{name}\n" for name in files if name.endswith(".v"))
