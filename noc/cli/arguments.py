"""What the commands share on the command line: a parser that errs in one line, and options."""

import argparse
import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from noc.cli import output
from noc.errors import InputError, one_line
from noc.networks import Network, build_network
from noc.options import OPTIONS, FabricName
from noc.simulators import SIMULATORS
from noc.trees import Algorithm, Tree, TreeFamily, algorithms_on, build_from, find_algorithm

if TYPE_CHECKING:
    from noc.design import AnyDesign

__all__ = [
    *("ALL", "USUAL_TREE", "CommandParser", "GroupedParser", "OneLineParser", "add_command"),
    *("add_design_options", "add_discard_edits", "add_graph_file", "add_json", "add_number"),
    *("add_options", "add_path", "add_plugins", "add_simulator", "add_spec", "add_timeout"),
    *("add_tree_options", "allow_folder", "are_several", "build_design", "build_tree"),
    *("check_folder_or_spec", "chosen_algorithms", "chosen_root", "design_facts", "families"),
    *("megahertz", "nodes_of", "path_name", "positive_number", "stream_facts", "whole_number"),
    "within",
]


class _HelpFormatter(argparse.HelpFormatter):
    """Wraps texts, except those of several lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage, and exits with status 2."""

    def __init__(self, **named: Any) -> None:
        super().__init__(formatter_class=_HelpFormatter, **named)

    def error(self, message: str) -> NoReturn:
        """Report unusable arguments."""
        self.exit(2, one_line(f"{self.prog}: error: {message} (see {self.prog} --help)") + "\n")


class CommandParser(OneLineParser):
    """Refuses by itself what a command does not know, in the name of the command."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Leave nothing to the parser of all commands, which would speak for itself."""
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown


class GroupedParser(OneLineParser):
    """Shows the commands in groups.

    Parameters
    ----------
    groups : mapping of str to sequence of str
        Commands by the title of their group.
    """

    def __init__(self, *, groups: Mapping[str, Sequence[str]], **named: Any) -> None:
        super().__init__(**named)
        self._shown = groups

    def format_help(self) -> str:
        """The help, of which argparse would show all commands as one list."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        (commands,) = (a for a in self._actions if isinstance(a, argparse._SubParsersAction))
        lines = {line.dest: line for line in commands._get_subactions()}
        options = [action for action in self._actions if action is not commands]
        sections = {
            title: [lines[command] for command in shown] for title, shown in self._shown.items()
        }
        for title, actions in (sections | {"options": options}).items():
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()


def add_command(
    commands: "argparse._SubParsersAction[CommandParser]", name: str, module: ModuleType
) -> CommandParser:
    """The parser of a command; its help is the docstring of its module."""
    # There is none under python -OO.
    summary, _, description = (module.__doc__ or " ").partition("\n\n")
    parser = commands.add_parser(
        name,
        help=" ".join((summary[0].lower() + summary[1:].rstrip(".")).split()),
        description=" ".join(description.split()),
        epilog="\n".join(("examples:", *(f"  {command}" for command in module.EXAMPLES))),
        allow_abbrev=False,
    )
    module.configure(parser)
    # A command with commands below it leaves this to them.
    parser.set_defaults(run=getattr(module, "run", None))
    return parser


def add_spec(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """The network."""
    parser.add_argument(
        "spec", metavar="SPEC", nargs="?" if optional else None, help=f"the network, {_SPELLED}"
    )


_SPELLED = (
    "as NAME:PARAMETERS, such as star:5, mesh:4,4, uhc:6,negative or file:PATH; 'noc list' lists "
    "all names"
)


def add_number(parser: argparse._ActionsContainer, option: str, **named: Any) -> None:
    """An option, such as ``--seed S``, that takes a number without a sign."""
    flag, metavar = option.split()
    parser.add_argument(flag, metavar=metavar, type=whole_number, **named)


def add_path(parser: argparse._ActionsContainer, option: str, **named: Any) -> None:
    """An option, such as ``--waves FILE``, that takes a file or a folder."""
    flag, metavar = option.split()
    flags = ("-o", flag) if flag == "--output" else (flag,)
    parser.add_argument(*flags, metavar=metavar, type=path_name, **named)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Output for scripts."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


#: The algorithm where none is asked for.
USUAL_TREE = "shortest"


def add_tree_options(
    parser: argparse.ArgumentParser,
    *,
    root: bool = True,
    several: bool = False,
    chosen: str | None = None,
) -> None:
    """The options that choose a tree; without a default, the command does, as ``chosen`` tells."""
    usual = None if chosen else USUAL_TREE
    shown = _algorithm_help(chosen or USUAL_TREE, several=several)
    add_options(parser, "algorithm", default=usual, help=shown)
    add_options(parser, "ports")
    if root:
        parser.add_argument(
            "--root", metavar="LABEL", help="the node that sends (default: the first node)"
        )


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
        parser.add_argument(f"--{(option.flag or name).replace('_', '-')}", **(named | changed))


def _comma_separated(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",")]


def whole_number(text: str) -> int:
    """A number without a sign."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


#: How the value of an option is read, by its kind.
_READ: dict[str, dict[str, Any]] = {
    "number": {"type": whole_number},
    "list": {"type": _comma_separated},
    "switch": {"action": argparse.BooleanOptionalAction},
    "repeated": {"action": "append"},
}


def _algorithm_help(chosen: str | None = None, *, several: bool) -> str:
    what, _, usual = OPTIONS["algorithm"].help.partition(" (default: ")
    more = "; A,B,… or all compares several" if several else ""
    return f"{what}{more} (default: {chosen or usual.removesuffix(')')})"


#: In place of an algorithm: every one that the network has.
ALL = "all"


def are_several(names: str | None) -> bool:
    """Whether more than one algorithm is asked for."""
    return names is not None and (names == ALL or "," in names)


def chosen_algorithms(network: Network, names: str) -> list[Algorithm]:
    """The algorithms of names with commas between them, or all."""
    if names == ALL:
        return algorithms_on(network)
    return [find_algorithm(network, name) for name in dict.fromkeys(names.split(","))]


def add_plugins(parser: argparse.ArgumentParser, name: str) -> None:
    """The option that stands before a command or after it, under a name for each place."""
    parser.add_argument(
        "--plugin",
        metavar="FILE",
        dest=name,
        action="append",
        default=[],
        help="load a Python file with networks, algorithms, traffic or operators of your "
        "own (docs/plugins.md); may be repeated",
    )


def add_discard_edits(parser: argparse.ArgumentParser) -> None:
    """Permission to replace what a person changed."""
    parser.add_argument(
        "--discard-edits",
        action="store_true",
        help="replace files in the folder even if they were edited",
    )


def add_design_options(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """The options that decide the hardware."""
    groups: dict[FabricName | None, argparse._ActionsContainer] = {None: parser}
    for fabric in get_args(FabricName):
        groups[fabric] = parser.add_argument_group(f"options of the {fabric} fabric")
    for name, option in OPTIONS.items():
        more = {"help": _algorithm_help(several=True)} if name == "algorithm" and several else {}
        add_options(groups[option.fabric], name, **more)


def families() -> str:
    """The names of the families of chips, by their files: to import them takes a second."""
    folder = Path(__file__).parent.parent / "synth" / "families"
    return ", ".join(sorted(path.stem for path in folder.glob("[a-z]*.py")))


#: How long the tools may take where nothing else is asked for.
_HOUR = 3600.0


def add_timeout(parser: argparse.ArgumentParser) -> None:
    """How long the tools may take."""
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=positive_number,
        default=_HOUR,
        help=f"end the tools where they take longer, all together (default: {_HOUR:g})",
    )


@contextlib.contextmanager
def within(seconds: float, advice: str) -> Iterator[None]:
    """The time limit of :func:`add_timeout`, with what to do where it is not enough."""
    from noc.processes import OutOfTimeError, time_limit

    try:
        with time_limit(seconds):
            yield
    except OutOfTimeError as error:
        raise OutOfTimeError(f"{error.message}; {advice}") from None


def _as_number(text: str) -> float:
    """A number; 0 if it is none."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def megahertz(text: str) -> float:
    """A clock."""
    value = _as_number(text)
    if not 1 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r}: from 1 to 1000 MHz are allowed")
    return value


def path_name(text: str) -> Path:
    """A file or a folder; an empty name would be the folder where one works."""
    if not text:
        raise argparse.ArgumentTypeError("a name is needed, and this one is empty")
    return Path(text)


def add_graph_file(parser: argparse.ArgumentParser, what: str) -> None:
    """A file for a network or for trees."""
    add_path(
        parser,
        "--output FILE",
        help=f"also write {what} to a .json, .graphml or .dot (Graphviz) file",
    )


def positive_number(text: str) -> float:
    """A number of more than 0, as of a time or a length."""
    value = _as_number(text)
    if not 0 < value <= 1e15:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of more than 0, and 1e15 at most")
    return value


def allow_folder(parser: argparse.ArgumentParser, use: str) -> None:
    """Let ``--verilog DIR`` stand for a network; nothing of the design may be given with it."""
    folder = f"{use} the Verilog in a folder that 'noc generate' wrote, instead of SPEC"
    add_path(parser, "--verilog DIR", help=folder)
    # What is not given is known by None.
    parser.set_defaults(of_the_design={name: parser.get_default(name) for name in OPTIONS})
    parser.set_defaults(**dict.fromkeys(OPTIONS))


def add_simulator(parser: argparse.ArgumentParser, what: str) -> None:
    """The simulator of the Verilog."""
    names = tuple(SIMULATORS)
    parser.add_argument(
        "--simulator", choices=names, default=names[0], help=f"{what} (default: {names[0]})"
    )


def check_folder_or_spec(options: argparse.Namespace) -> None:
    """Refuse what :func:`allow_folder` does not allow, and give the rest its defaults."""
    if (options.spec is None) == (options.verilog is None):
        raise InputError("SPEC or --verilog DIR is needed, and not both")
    for name, default in options.of_the_design.items():
        if getattr(options, name) is None:
            setattr(options, name, default)
        elif options.verilog is not None:
            raise InputError(
                f"--{name.replace('_', '-')}: stands in the manifest that lies in --verilog DIR"
            )


def build_design(options: argparse.Namespace) -> "AnyDesign":
    """The design that the options describe."""
    from noc import design

    design.check_width(options.width)
    net = build_network(options.spec)
    return design.build_design(
        net,
        progress=output.progress_bar("trees of all sources"),
        **{name: getattr(options, name) for name in OPTIONS if name != "hop_cycles"}
        | {
            "link_registers": _link_registers(options, net),
            "groups": design.read_groups(net, options.groups),
        },
    )


def design_facts(design: "AnyDesign") -> dict[str, Any]:
    """What a reader of results must know of a design, beside its network."""
    return {
        "fabric": design.fabric,
        "algorithm": design.program.algorithm,
        "sources": design.named_sources,
        "senders": len(design.senders),
        "width": design.width,
        **report_of(design).facts(design),
    }


def report_of(design: "AnyDesign") -> Any:
    """What its fabric says of a design for commands to print."""
    from noc import fabric

    return fabric.module(design.fabric, "report")


#: So many links without streams are named at most.
_NAMED_LINKS = 6


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


def _link_registers(options: argparse.Namespace, net: Network) -> int | dict[tuple[int, int], int]:
    """How many in each link, or by the two nodes of each that has some."""
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
    return _registers_of_file(net, text)


def _registers_of_file(net: Network, name: str) -> dict[tuple[int, int], int]:
    try:
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
    except OSError as error:
        raise InputError(f"--link-registers {name}: {error.strerror or error}") from None
    except InputError as error:
        raise InputError(f"--link-registers {name}: {error.message}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"--link-registers {name}: must be a number, or a JSON file with a list of "
            f'{{"from": A, "to": B, "registers": N}} ({error!r})'
        ) from None


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
