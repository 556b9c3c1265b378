"""Begin a project: a network, and a processing element per node to fill in.

Write a small project of your own into a new folder: a network with a processing element at each
node, which is for you to fill in; tests; and a Makefile that simulates it, writes Verilog, and
builds it for a ULX3S or an Arty A7. All of it works as it is written. The options are those of 'noc
generate', and stand in the project's network.toml; the elements give words for each operation that
is named.
"""

import argparse
import shlex

from noc.cli import arguments
from noc.cli.output import Result
from noc.cli.parsers import add_option, declare, path_name

EXAMPLES = (
    "noc new mine",
    "noc new mine ring:4 --width 16",
    "noc new mine star:4 --operations broadcast,all_reduce:max",
    "noc new mine mesh:2,2 --element verilog",
    "noc new mine star:4 --fabric timetable",
    "noc new mine star:4 --fabric timetable --start ready --ejects one",
)

#: Options that go into the project where they are used.
_SETTINGS = ("algorithm", "fabric", "sources", "operations", "start", "ejects")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder",
        metavar="DIR",
        type=path_name,
        help="the folder to write, which must be new or empty",
    )
    parser.add_argument(
        "spec",
        metavar="SPEC",
        nargs="?",
        default="mesh:2,2",
        help="the network, as for 'noc generate' (default: mesh:2,2)",
    )
    shown = (
        "the language of the processing element (default: amaranth); with verilog it is a module "
        "with clock, reset and streams"
    )
    add_option(parser, "--element amaranth|verilog", shown, default="amaranth")
    names = ("algorithm", "sources", "fabric", "width", "operations", "groups", "start", "ejects")
    arguments.add_options(parser, *names)
    declare(parser, "--json")


def run(options: argparse.Namespace) -> Result:
    """Write the project."""
    from noc.project import EXAMPLE, write_project

    chosen = {name: getattr(options, name) for name in _SETTINGS}
    settings = {name: value for name, value in chosen.items() if value not in (None, "all")}
    written = write_project(
        options.folder,
        options.spec,
        element=options.element,
        groups=options.groups,
        settings={**settings, "width": options.width},
    )
    design = written.design
    document = {
        "folder": str(options.folder),
        "network": design.network.spec,
        **arguments.design_facts(design),
        "nodes": design.network.nodes,
        "element": written.element,
        "files": list(written.files),
    }
    facts = {
        **{name: document[name] for name in ("network", "nodes")},
        "example": EXAMPLE,
        "folder": str(options.folder),
        "fill in": str(options.folder / written.element),
        "try it": f"make -C {shlex.quote(str(options.folder))} test",
    }
    return Result(document, [facts])
