"""``noc generate``: Verilog, ROM files, a bench and a manifest, in one folder."""

import argparse
import shlex
from pathlib import Path

from noc.cli import arguments, output

__all__ = ["HELP", "configure", "run"]

HELP = "write the network as Verilog, with ROM files, a cocotb bench and a manifest"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_tree_options(parser, root=False)
    arguments.add_design_options(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        required=True,
        help="the folder to write; one that noc generate wrote before is replaced",
    )
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Compile, check, write."""
    from noc.emit.folder import check_folder, write

    check_folder(options.output)
    design = arguments.build_design(options)
    manifest = write(design, options.output)
    if options.json:
        output.write_json(manifest)
        return 0
    facts = {
        "network": manifest["network"],
        "nodes": len(manifest["nodes"]),
        "links": len(manifest["links"]),
        "router modules": len(design.fabric.tables),
        "header bits": max(table.header_bits for table in design.fabric.tables),
        "classes": f"{manifest['classes']} ({manifest['class_method']})",
        "top": manifest["top"],
        "folder": str(options.output),
        "bench": f"python {shlex.quote(str(options.output / 'bench' / 'run.py'))}",
    }
    print(output.facts(facts))
    return 0
