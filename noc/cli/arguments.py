"""What several commands share: their arguments, and the networks, trees and designs of these."""

import argparse
import contextlib
import json
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.cli import output
from noc.cli.parsers import add_option, declare, whole_number
from noc.errors import InputError
from noc.networks import Network, build_network
from noc.options import OPTIONS, FabricName
from noc.simulators import SIMULATORS
from noc.trees import Algorithm, Tree, TreeFamily, algorithms_on, build_from, find_algorithm

if TYPE_CHECKING:
    from noc.design import AnyDesign
    from noc.verify import Run

#: The algorithm where none is asked for.
USUAL_TREE = "shortest"

#: In place of an algorithm: every one that the network has.
ALL = "all"

#: How long the tools may take where nothing else is asked for, in seconds.
_HOUR = 3600.0

#: At most this many links without streams are named.
_NAMED_LINKS = 6


def add_spec(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """The network."""
    parser.add_argument(
        "spec",
        metavar="SPEC",
        nargs="?" if optional else None,
        help="the network, as NAME:PARAMETERS, such as star:5, mesh:4,4, uhc:6,negative or "
        "file:PATH; 'noc list' lists all names",
    )


def add_tree_options(
    parser: argparse.ArgumentParser,
    *,
    root: bool = True,
    several: bool = False,
    chosen: str | None = None,
) -> None:
    """The options that choose a tree; without a default, the command does, as ``chosen`` says."""
    usual = None if chosen else USUAL_TREE
    shown = _algorithm_help(chosen or USUAL_TREE, several=several)
    add_options(parser, "algorithm", default=usual, help=shown)
    add_options(parser, "ports")
    if root:
        add_option(parser, "--root LABEL", "the node that sends (default: the first node)")


#: How the value of an option is read, by its kind.
_READ: dict[str, dict[str, Any]] = {
    "number": {"type": whole_number},
    "list": {"type": lambda text: [name.strip() for name in text.split(",")]},
    "switch": {"action": argparse.BooleanOptionalAction},
    "repeated": {"action": "append"},
}


def add_options(parser: argparse._ActionsContainer, *names: str, **changed: Any) -> None:
    """Options of a design, by their names."""
    for name in names:
        option = OPTIONS[name]
        named: dict[str, Any] = {
            "dest": name,
            "help": option.help,
            "default": option.default,
            **_READ.get(option.kind, {}),
            **({"metavar": option.metavar} if option.metavar else {}),
            **({"choices": option.choices} if option.choices else {}),
        }
        parser.add_argument(option.on_command_line, **(named | changed))


def _algorithm_help(chosen: str | None = None, *, several: bool) -> str:
    what, _, usual = OPTIONS["algorithm"].help.partition(" (default: ")
    more = "; A,B,… or all compares several" if several else ""
    return f"{what}{more} (default: {chosen or usual.removesuffix(')')})"


def add_design_options(
    parser: argparse.ArgumentParser, *, several: bool = False, refused: Collection[str] = ()
) -> None:
    """The options that decide the hardware; help does not show those that are always refused."""
    groups: dict[FabricName, argparse._ActionsContainer] = {}
    for name, option in OPTIONS.items():
        more = {"help": _algorithm_help(several=True)} if name == "algorithm" and several else {}
        more |= {"help": argparse.SUPPRESS} if name in refused else {}
        group: argparse._ActionsContainer = parser
        if len(option.fabrics) == 1:
            (fabric,) = option.fabrics
            if fabric not in groups:
                title = f"options of the {fabric} fabric"
                groups[fabric] = parser.add_argument_group(title)
            group = groups[fabric]
        add_options(group, name, **more)


def add_plugins(parser: argparse.ArgumentParser, name: str) -> None:
    """The option that goes before a command or after it, under a name for each."""
    declare(
        parser,
        """
        --plugin FILE  load a Python file with networks, algorithms, traffic or operators of your
            own (docs/plugins.md); may be repeated
        """,
        plugin={"dest": name, "action": "append", "default": [], "type": None},
    )


def add_graph_file(parser: argparse.ArgumentParser, what: str) -> None:
    """A file for a network or for trees."""
    shown = f"also write {what} to a .json, .graphml or .dot (Graphviz) file"
    add_option(parser, "-o --output FILE", shown)


def add_simulator(parser: argparse.ArgumentParser, what: str) -> None:
    """The simulator of the Verilog."""
    names = tuple(SIMULATORS)
    shown = f"{what} (default: {names[0]})"
    add_option(parser, "--simulator", shown, choices=names, default=names[0])


def add_timeout(parser: argparse.ArgumentParser) -> None:
    """How long the tools may take."""
    shown = f"end the tools where they take longer, all together (default: {_HOUR:g})"
    add_option(parser, "--timeout SECONDS", shown, default=_HOUR)


@contextlib.contextmanager
def within(seconds: float, advice: str) -> Iterator[None]:
    """The time limit of :func:`add_timeout`, with what to do where it is not enough."""
    from noc.processes import OutOfTimeError, time_limit

    try:
        with time_limit(seconds):
            yield
    except OutOfTimeError as error:
        raise OutOfTimeError(f"{error.message}; {advice}") from None


def add_traffic(
    parser: argparse.ArgumentParser,
    usually: str,
    default: str | None = None,
    *,
    drains: bool = False,
) -> None:
    """The options of runs: which words are sent, and when the sinks take them.

    Where a run has to drain, it cannot be endless.
    """
    kinds = ", ".join(("single, back-to-back, full, dense, sparse", *["endless"][drains:]))
    declare(
        parser,
        f"""
        --traffic T[:SINKS],…  the traffic ({kinds} or
            that of a plug-in) and when sinks are ready (always, half, rarely, bursty, moving-stall,
            one-slow, phases; with --sink-timeout absent) (default: {usually})
        --words N  words that each source sends in a run
        --cycles N  end every run after N cycles
        --seed S  the seed of sources, pauses, payloads and stalls (default: 0)
        """,
        traffic={"default": default},
        seed={"default": 0},
    )


def check_positive(options: argparse.Namespace, *names: str) -> None:
    """Refuse options that are 0."""
    for name in names:
        if getattr(options, name) == 0:
            raise InputError(f"--{name} 0: at least 1 is needed")


def build_runs(options: argparse.Namespace, design: "AnyDesign") -> "list[Run]":
    """The runs that the options describe."""
    from noc.verify import name_runs

    check_positive(options, "words", "cycles")
    limits = {"words": options.words, "cycles": options.cycles}
    return name_runs(design, options.traffic, seed=options.seed, **limits)


def allow_folder(parser: argparse.ArgumentParser, use: str) -> None:
    """Let ``--verilog DIR`` take the place of a network; it excludes options of the design."""
    folder = f"{use} the Verilog in a folder that 'noc generate' wrote, instead of SPEC"
    add_option(parser, "--verilog DIR", folder)
    # What is not asked for is known by None.
    parser.set_defaults(of_the_design={name: parser.get_default(name) for name in OPTIONS})
    parser.set_defaults(**dict.fromkeys(OPTIONS))


def check_folder_or_spec(options: argparse.Namespace) -> None:
    """Refuse what :func:`allow_folder` does not allow, and give the rest its defaults."""
    if (options.spec is None) == (options.verilog is None):
        raise InputError("SPEC or --verilog DIR is needed, and not both")
    for name, default in options.of_the_design.items():
        if getattr(options, name) is None:
            setattr(options, name, default)
        elif options.verilog is not None:
            raise InputError(
                f"{OPTIONS[name].on_command_line}: stands in the manifest that lies in "
                "--verilog DIR"
            )


def families() -> str:
    """The names of the families of chips, by their files: to import them takes a second."""
    folder = Path(__file__).parent.parent / "synth" / "families"
    return ", ".join(sorted(path.stem for path in folder.glob("[a-z]*.py")))


def are_several(names: str | None) -> bool:
    """Whether more than one algorithm is asked for."""
    return names is not None and (names == ALL or "," in names)


def chosen_algorithms(network: Network, names: str) -> list[Algorithm]:
    """The algorithms of names with commas between them, or all."""
    if names == ALL:
        return algorithms_on(network)
    return [find_algorithm(network, name) for name in dict.fromkeys(names.split(","))]


def nodes_of(net: Network, labels: Sequence[str], *, option: str) -> list[int]:
    """The nodes of some labels; an error names the option they came from."""
    try:
        return [net.node(label) for label in labels]
    except InputError as error:
        raise InputError(f"{option}: {error.message}") from None


def chosen_root(net: Network, label: str | None) -> int:
    """The node of ``--root``."""
    return 0 if label is None else nodes_of(net, [label], option="--root")[0]


def build_tree(options: argparse.Namespace, net: Network | None = None) -> Tree | TreeFamily:
    """The network and the tree, or the family of trees, that the options describe."""
    net = net or build_network(options.spec)
    chosen = find_algorithm(net, options.algorithm)
    root = chosen_root(net, options.root)
    return build_from(chosen, net, root, options.ports or chosen.models[0])


def build_design(options: argparse.Namespace, net: Network | None = None) -> "AnyDesign":
    """The design that the options describe, of a network if it is there already."""
    from noc import design

    design.check_width(options.width)
    net = net or build_network(options.spec)
    chosen = {name: getattr(options, name) for name in OPTIONS if name != "hop_cycles"}
    chosen["link_registers"] = _link_registers(options, net)
    chosen["groups"] = design.read_groups(net, options.groups)
    return design.build_design(net, progress=output.progress_bar("trees of all sources"), **chosen)


def lasting(words: Sequence[str]) -> list[str]:
    """The words of a command that writes a folder, but for those on which no file depends."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-o", "--output")
    declare(parser, "--discard-edits\n--json")
    return parser.parse_known_args(words)[1]


def _link_registers(options: argparse.Namespace, net: Network) -> int | dict[tuple[int, int], int]:
    """Their number in each link, or by the two nodes of each that has some."""
    hop, text = options.hop_cycles, options.link_registers
    if hop is not None:
        if hop < 1:
            raise InputError(f"--hop-cycles {hop}: at least 1 is needed")
        if text not in (None, str(hop - 1)):
            raise InputError(f"--hop-cycles {hop}: is --link-registers {hop - 1}, not {text}")
        return int(hop) - 1
    if text is None:
        return 0
    if re.fullmatch(r"-?[0-9]{1,9}", text):
        if int(text) < 0:
            raise InputError(f"--link-registers {text}: must not be negative")
        return int(text)
    try:
        return _registers_of_file(net, text)
    except InputError as error:
        raise InputError(f"--link-registers {text}: {error.message}") from None
    except OSError as error:
        raise InputError(f"--link-registers {text}: {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"--link-registers {text}: must be a number, or a JSON file with a list of "
            f'{{"from": A, "to": B, "registers": N}} ({error!r})'
        ) from None


def _registers_of_file(net: Network, name: str) -> dict[tuple[int, int], int]:
    entries = json.loads(Path(name).read_text(encoding="utf-8"))
    if not isinstance(entries, list):
        raise TypeError("it is no list")
    registers = {}
    for entry in entries:
        link = net.node(entry["from"]), net.node(entry["to"])
        if link in registers:
            raise InputError(f"the link from {entry['from']} to {entry['to']} is named twice")
        registers[link] = entry["registers"]
    return registers


def report_of(design: "AnyDesign") -> Any:
    """What its fabric says of a design for commands to print."""
    from noc import fabric

    return fabric.module(design.fabric, "report")


def design_facts(design: "AnyDesign") -> dict[str, Any]:
    """What a reader of results must know of a design, beside its network."""
    return {
        "fabric": design.fabric,
        "algorithm": design.program.algorithm,
        "sources": design.named_sources,
        "senders": len(design.senders),
        "width": design.width,
        **report_of(design).facts(design),
        **({} if design.protect == "none" else {"protect": design.protect}),
    }


def stream_facts(counted: dict[str, Any]) -> dict[str, object]:
    """How streams lie on one-way links, for people."""
    idle = [f"{arc['from']}→{arc['to']}" for arc in counted["without_streams"]]
    named = ", ".join(idle[:_NAMED_LINKS])
    more = f" and {len(idle) - _NAMED_LINKS} more" if idle[_NAMED_LINKS:] else ""
    without = f"; {len(idle)} without a stream: {named}{more}" if idle else ""
    most = f"{counted['most_streams']} at most on a link; {counted['most_wires']} wires at most"
    return {
        "one-way links": f"{counted['one_way_links']}{without}",
        "streams": f"{counted['streams']} between nodes, {most}",
    }
