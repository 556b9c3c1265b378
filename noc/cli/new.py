"""``noc new``: a project of one's own around a network."""

import argparse
import shlex

from noc.cli import arguments, output

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "begin a project: a network, and a processing element per node to fill in"
DESCRIPTION = (
    "Write a small project of your own into a new folder: a network with a processing element at "
    "each node, which is for you to fill in; tests; and a Makefile that simulates it, writes "
    "Verilog, and builds it for a ULX3S or an Arty A7. All of it works as it is written. The "
    "options are those of 'noc generate', and stand in the project's network.toml; operations must "
    "have all_reduce:sum among them, which its elements use then."
)
EXAMPLES = (
    "noc new mine",
    "noc new mine ring:4 --width 16",
    "noc new mine star:4 --operations all_reduce:sum",
)

#: Options that go into the project where they are given.
_SETTINGS = ("algorithm", "fabric", "sources", "operations")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder",
        metavar="DIR",
        type=arguments.path_name,
        help="the folder to write, which must be new or empty",
    )
    parser.add_argument(
        "spec",
        metavar="SPEC",
        nargs="?",
        default="mesh:2,2",
        help="the network, as for 'noc generate' (default: mesh:2,2)",
    )
    arguments.add_algorithm(parser)
    arguments.add_sources(parser)
    arguments.add_fabric(parser)
    arguments.add_width(parser)
    arguments.add_operations(parser)
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Write the project."""
    from noc.project import EXAMPLES as ELEMENTS
    from noc.project import write_project

    given = {name: getattr(options, name) for name in _SETTINGS}
    settings = {name: value for name, value in given.items() if value not in (None, "all")}
    written = write_project(
        options.folder, options.spec, settings={**settings, "width": options.width}
    )
    design = written.design
    if options.json:
        document = {
            "folder": str(options.folder),
            "network": design.network.spec,
            **arguments.design_facts(design),
            "nodes": design.network.nodes,
            "example": written.example,
            "files": list(written.files),
        }
        output.write_json(document)
        return 0
    facts = {
        "network": design.network.spec,
        "nodes": design.network.nodes,
        "example": ELEMENTS[written.example],
        "folder": str(options.folder),
        "fill in": str(options.folder / "hardware" / "element.py"),
        "try it": f"make -C {shlex.quote(str(options.folder))} test",
    }
    print(output.facts(facts))
    return 0
