"""Write a network as Verilog, with ROM files, a cocotb bench and a manifest.

Write a network as Verilog into a folder, with readable ROM files, a cocotb bench and manifest.json,
which names every signal. docs/integration.md explains how to use the network in your own design.
"""

import argparse
import shlex
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.cli.output import Result
from noc.cli.parsers import declare
from noc.errors import InputError

if TYPE_CHECKING:
    from noc.emit.bus import BusEnds
    from noc.endpoints import Endpoints

EXAMPLES = (
    "noc generate star:4 -o out",
    "noc generate star:4 --sources one --algorithm balanced -o out",
    "noc generate star:4 --axi-stream --node-clocks each -o out",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_design_options(parser)
    declare(
        parser,
        """
        -o --output DIR  the folder to write; a folder that 'noc generate' wrote before is replaced
        --name NAME  the name of the network's module; the names of all modules and files begin with
            it. Two networks in one design need different names (default: noc_ and SPEC, or the name
            of the graph's file without its ending, with _ for punctuation)
        --discard-edits
        --one-file-per-module  write each Verilog module to a file with its name
        --vector-ports  add a module around the outermost, NAME_vectors, with one vector for each
            kind of signal, in which each node has a slice
        --systemverilog  add that and a module around it for SystemVerilog, NAME_interfaces, with an
            interface for each stream, and a package with the numbers of nodes and operations
        --held-alarms  write a module that stands beside the network, NAME_alarms, in which each of
            its alarms stays until it is cleared, and lost words are counted (docs/faults.md)
        --scripts vivado,librelane,siliconcompiler  write scripts for these: an IP for Vivado's
            catalog (with --axi-stream), a layout by LibreLane or SiliconCompiler
        """,
        output={"required": True},
    )
    declare(
        parser.add_argument_group("options of the nodes"),
        """
        --axi-stream  give each node the AXI-Streams s_axis_NODE and m_axis_NODE; tid is the node
            that sent, and --width is the width of tdata
        --tlast  whether AXI packets have a tlast (default: yes)
        --packets interleaved|whole  whether the words of AXI packets of different sources
            interleave, with tid telling them apart, or packets arrive one after the other (default:
            interleaved)
        --packet-words N  with --packets whole, words of the longest packet; longer packets are cut
            (default: 16)
        --node-clocks network|shared|each  whether the nodes' streams use the network's clock, one
            shared clock of their own, or one clock each (default: network)
        """,
        tlast={"action": argparse.BooleanOptionalAction, "default": None},
        node_clocks={"default": "network"},
    )
    declare(
        parser.add_argument_group("ends for CPUs, in the folder bus/"),
        """
        --bus wishbone,axi4-lite  write a module that stands between a node's streams and a bus of
            these, as registers, with their SystemRDL and drivers in C and Python (docs/bus.md)
        --bus-depth N  words that can wait there to be given, and as many to be taken (default: 16)
        """,
    )
    declare(parser, "--json")


def run(options: argparse.Namespace) -> Result:
    """Compile, check, write."""
    from noc.emit.folder import check_folder, write
    from noc.emit.manifest import count_streams
    from noc.emit.names import check_name

    check_folder(options.output, discard_edits=options.discard_edits)
    if options.name is not None:
        check_name(options.name)
    endpoints = _endpoints(options)
    design = endpoints.widened(arguments.build_design(options))
    manifest = write(
        design,
        options.output,
        endpoints,
        name=options.name,
        one_file_per_module=options.one_file_per_module,
        vector_ports=options.vector_ports,
        systemverilog=options.systemverilog,
        held_alarms=options.held_alarms,
        scripts=[] if options.scripts is None else options.scripts.split(","),
        bus=_bus(options),
        discard_edits=options.discard_edits,
        progress=output.progress_bar("Verilog"),
        command=("noc", *arguments.lasting(options.arguments)),
    )
    report = arguments.report_of(design)
    facts = {
        "network": manifest["network"],
        "nodes": len(manifest["nodes"]),
        **arguments.stream_facts(count_streams(manifest["arcs"])),
        "fabric": manifest["fabric"],
        "algorithm": manifest["algorithm"],
        **report.summary(design, manifest),
        **_endpoint_facts(manifest),
        **_facts_beside(manifest),
        "folder": str(options.output),
        "bench": f"python {shlex.quote(str(options.output / 'bench' / 'run.py'))}",
    }
    return Result(manifest, [facts], report.hints(design))


def _bus(options: argparse.Namespace) -> "BusEnds | None":
    """What the options say of ends for CPUs."""
    from noc.emit.bus import BusEnds

    if options.bus is None:
        if options.bus_depth is not None:
            raise InputError("--bus-depth: is for --bus only")
        return None
    depth = {} if options.bus_depth is None else {"depth": options.bus_depth}
    return BusEnds(tuple(options.bus.split(",")), **depth)


def _endpoints(options: argparse.Namespace) -> "Endpoints":
    """What the options say of the nodes."""
    from noc.endpoints import AxiStream, Endpoints

    flags = {
        "--tlast" if options.tlast else "--no-tlast": ("last", options.tlast),
        "--packets": ("packets", options.packets),
        "--packet-words": ("packet_words", options.packet_words),
    }
    chosen = {flag: pair for flag, pair in flags.items() if pair[1] is not None}
    if not options.axi_stream:
        if chosen:
            raise InputError(f"{next(iter(chosen))}: is for --axi-stream only")
        return Endpoints(clocks=options.node_clocks)
    if "--packet-words" in chosen and options.packets != "whole":
        raise InputError("--packet-words: is for --packets whole only")
    return Endpoints(AxiStream(**dict(chosen.values())), options.node_clocks)


def _facts_beside(manifest: dict[str, Any]) -> dict[str, object]:
    """The modules that stand beside the network."""
    ends = manifest.get("bus", {}).get("ends", [])
    tops = {"ends": ", ".join(end["top"] for end in ends)} if ends else {}
    return tops | ({"alarms": manifest["alarms"]["top"]} if "alarms" in manifest else {})


def _endpoint_facts(manifest: dict[str, Any]) -> dict[str, object]:
    sections = ("interfaces", "vectors", "axis", "node_clocks")
    around = [manifest[name] for name in sections if name in manifest]
    tops = " around ".join(module["top"] for module in (*around, manifest))
    axis = manifest.get("axis", {})
    if not axis.get("memory_bits"):
        return {"top": tops}
    room = f"{axis['memory_bits']} bits at each node, for packets of {axis['packet_words']}"
    return {"top": tops, "memory": room}
