"""What a person reads: ``README.md`` of the folder, and an instance of each module to copy."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from noc.emit.module import Port, write_instance
from noc.emit.replace import SUMS
from noc.emit.streams import streams_of
from noc.emit.waves import view_file
from noc.errors import one_line
from noc.harness import AWAY

README = "README.md"

#: What the files are, the first pattern that fits; ``{top}`` is the network's module.
FILES = (
    ("{top}.v", "the network: the top module, which only wires"),
    ("{top}*_vectors.v", "the same with one vector for each kind of signal"),
    ("{top}*_interfaces.sv", "the same for SystemVerilog, with an interface for each stream"),
    ("{top}_*_endpoint*.v", "what stands between a node and your design"),
    ("{top}_*_packet_arbiter.v", "which gives the nodes turns, packet by packet"),
    ("{top}_axis.v", "the network with AXI-Streams"),
    ("{top}_clocks.v", "the network with clocks of the nodes"),
    ("{top}_*.v", "the modules within it"),
    ("chips/*.f", "the Verilog files of a chip, from that folder: for `-F` of most tools"),
    ("chips/*.sdc", "the clocks of a chip, to adapt"),
    ("chips/*.lpf", "the pins of a chip's links on its board, for nextpnr"),
    ("chips/*.pcf", "likewise"),
    ("chips/wires.json", "which pins of boards to join"),
    ("chips/*_chip_wire.v", "pins between chips, to simulate"),
    ("chips/*_chips*.v", "all chips side by side, to simulate"),
    ("chips/*_chip_link_*.v", "an end of a link between chips"),
    ("chips/*.v", "the chips: each a module of nodes and ends of links"),
    ("*_instance.vh", "an instance with every port, to copy"),
    ("*.f", "the Verilog files, for tools that take `-f`"),
    ("*.vlt", "what Verilator may pass in these files"),
    ("*_librelane.json", "makes a layout by LibreLane"),
    ("*_siliconcompiler.*", "makes a layout by SiliconCompiler"),
    ("*.sdc", "timing constraints between the clocks, to adapt"),
    ("*.xdc", "the same for Vivado"),
    ("*_ip.tcl", "packages the network for Vivado's IP catalog"),
    ("*.core", "the same files for FuseSoC"),
    ("alarms/*.v", "registers in which the network's alarms stay until they are cleared"),
    ("bus/*.v", "what stands between a node and the bus of a CPU"),
    ("bus/*.rdl", "its registers, for PeakRDL and others"),
    ("bus/*.h", "its registers and a driver, for C"),
    ("bus/*.py", "a driver for Python"),
    ("rom/*", "the tables of the routers, to read"),
    ("waves/*.gtkw", "the signals of a module by nodes, for GTKWave"),
    ("waves/*.txt", "names in place of numbers there"),
    ("bench/*", "benches, and a check of millions of words: `python3 bench/stress.py`"),
    ("program.json", "the trees and tables that were built in"),
    ("graph.json", "the graph of the network"),
    ("manifest.json", "every signal by name, bits of payloads, cycles: for scripts"),
    (SUMS, "how the files were: `sha256sum -c` tells of edits"),
    (README, "this page"),
)

#: Up to this many files of a kind are named one by one.
FEW = 4

PAGE = """\
# {top}

{what}
{command}
| fact | |
|---|---|
{facts}

## Instantiate

Copy `{instance}` into your module, and join its wires. Compile your module with the files that
`{outer}.f` lists, from anywhere if `DIR` is this folder:

    iverilog -y DIR …
    verilator DIR/{outer}.vlt -F DIR/{outer}.f …

`manifest.json` names every signal, and the bits in it.

## Simulate

{simulate}
With `--waves FILE.vcd` a bench writes waveforms:

{waves}
## Verify

    noc{plugins} verify --verilog .

compares each transfer on each link of `{top}` with a model, cycle by cycle.

## Files

| file | what it is |
|---|---|
{files}
"""

Document = Mapping[str, Any]


def build_readme(
    manifest: Document, outer: str, files: Sequence[str], command: Sequence[str] | None
) -> str:
    """The page of a folder with these files.

    Of these, ``outer`` is the module that one instantiates, and ``command`` the words of the
    command that wrote them.
    """
    spec, nodes = manifest["network"], len(manifest["nodes"])
    written = "" if command is None else f"\nWritten by:\n\n    {one_line(shlex.join(command))}\n"
    benches: Mapping[str, str] = manifest["benches"]
    return PAGE.format(
        top=manifest["top"],
        outer=outer,
        instance=instance_file(outer),
        what=f"The network {_code(spec)} with {nodes} nodes, {manifest['generator']}.",
        command=written,
        facts="\n".join(_facts(manifest)),
        simulate="".join(
            f"    python3 bench/run.py --bench {bench}  # {top}\n" for bench, top in benches.items()
        ),
        waves="".join(
            f"    python3 bench/run.py --bench {bench} --waves {bench}.vcd\n"
            + f"    gtkwave {bench}.vcd {view_file(top)}\n" * (view_file(top) in files)
            for bench, top in benches.items()
        ),
        plugins="".join(f" --plugin {shlex.quote(name)}" for name in manifest.get("plugins", ())),
        files="\n".join(_described(manifest["top"], files)),
    )


def _facts(manifest: Document) -> Iterator[str]:
    """Whatever the manifest says in one value or by one name, which options decide."""
    passed = {"generator", "contract", "collectives_contract", "top", "files", "program", "vcs"}
    for key, value in manifest.items():
        if key == "axis":
            yield from (f"| axis: {fact.removeprefix('| ')}" for fact in _facts(value))
        elif key in passed:
            continue
        elif isinstance(value, bool):
            yield f"| {key} | {'yes' if value else 'no'} |"
        elif isinstance(value, str | int):
            yield f"| {key} | {_code(value)} |"
        elif key in ("sources", "groups"):
            yield f"| {key} | {', '.join(map(_code, value))} |"
        elif key == "operations":
            # Words have these numbers.
            named = (f"{number} = {_code(name)}" for number, name in enumerate(value))
            yield f"| {key} | {', '.join(named)} |"


def _code(value: object) -> str:
    """A value in a cell of a table."""
    return "`" + one_line(str(value)).replace("|", "\\|") + "`"


def _described(top: str, files: Sequence[str]) -> Iterator[str]:
    """Each kind of file that is there."""
    kinds: dict[tuple[str, str], list[str]] = {}
    known = [(pattern.format(top=top), what) for pattern, what in FILES]
    for name in files:
        kind = next(kind for kind in known if fnmatchcase(name, kind[0]))
        kinds.setdefault(kind, []).append(name)
    for pattern, what in sorted(kinds, key=known.index):
        names = kinds[pattern, what]
        many = "/" in pattern or len(names) > FEW
        yield f"| {', '.join(map(_code, [pattern] if many else names))} | {what} |"


INSTANCE_HEAD = """\
// To copy into your own module: {top} with every port.
// You drive the inputs. A word passes in each cycle in which its valid and ready are both 1.
"""


def instance_file(top: str) -> str:
    """The name of the file; not *.v, since by itself it is no module."""
    return f"{top}_instance.vh"


def build_instance(
    top: str, ports: Sequence[Port], owners: Mapping[str, str], notes: Sequence[str] = ()
) -> str:
    """An instance of a module, with all its ports, by nodes, and notes before their declarations.

    Owners are those of signals, such as ``node 123``; of others it is said that they are the
    network's.
    """
    lines = [*(f"  {note}" for note in notes), *_declarations(ports, owners), ""]
    lines += write_instance(top, f"{top}_instance", {port.name: port.name for port in ports})
    return "\n".join([INSTANCE_HEAD.format(top=top), *lines, ""])


def describe_words(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Where the fields of words lie in payloads, and the numbers of operations as constants."""
    for side in ("inject", "eject"):
        streams = (stream for node in manifest["nodes"] for _, stream in streams_of(node, side))
        fields = [stream.get("fields", ()) for stream in streams]
        if fields and len(fields[0]) > 1:
            yield f"// payloads of {side}: {', '.join(map(_show_field, fields[0]))}"
    yield from _away(manifest)
    yield from _operations(manifest.get("operations", {}))


def _show_field(field: Mapping[str, Any]) -> str:
    first, last = field["first"], field["first"] + field["bits"] - 1
    return f"{field['name']} [{f'{last}:' * (last > first)}{first}]"


def _operations(numbers: Mapping[str, int]) -> Iterator[str]:
    """With one operation alone, words have no field for it."""
    bits = (len(numbers) - 1).bit_length()
    for name, number in numbers.items():
        constant = re.sub(r"\W", "_", f"operation_{name}").upper()
        if bits:
            yield f"localparam [{bits - 1}:0] {constant} = {bits}'d{number};"


def describe_slices(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Which node has which slice of vectors, and the numbers of operations as constants."""
    yield "// node i has slice i of each vector, from the lowest bits up:"
    for number, node in enumerate(manifest["nodes"]):
        yield f"//   {number}: {one_line(node['label'])}"
    yield from _away(manifest)
    yield from _operations(manifest.get("operations", {}))


def _away(manifest: Mapping[str, Any]) -> Iterator[str]:
    """What becomes of a network in which nobody drives these inputs."""
    if any(AWAY in node for node in manifest["nodes"]):
        yield "// away: a bit for each group of a node; tie it to 0, or nobody waits for its words"


def _declarations(ports: Sequence[Port], owners: Mapping[str, str]) -> Iterator[str]:
    before = None
    for port in ports:
        owner = owners.get(port.name)
        if owner != before:
            yield f"  // {owner or 'of the network'}"
        before = owner
        yield f"  wire {port.span}{port.name};  // {'output' if port.output else 'input'}"
