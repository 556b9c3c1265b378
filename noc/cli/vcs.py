"""``noc vcs``: trees and virtual channels compared, so that all sources can send at once."""

import argparse
from typing import Any

from noc.cli import arguments, output
from noc.errors import InputError
from noc.networks import Network, build_network
from noc.programs.choices import Choice, Comparison, compare_choices

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "compare the virtual channels that each tree and method needs in the direct fabric"
DESCRIPTION = (
    "Compare how many virtual channels (VCs) the direct fabric needs so that several sources can "
    "send at the same time without deadlock, for each tree algorithm and each method of assigning "
    "VCs. docs/vcs.md explains the methods."
)
EXAMPLES = ("noc vcs star:4",)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    parser.add_argument(
        "--algorithm",
        metavar="A,…",
        help="compare only these algorithms (default: all that the network supports)",
    )
    parser.add_argument(
        "--ports",
        choices=("all", "one"),
        default="all",
        help="whether a node may send on all of its ports in a step or on one (default: all)",
    )
    arguments.add_sources(parser)
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Compare, tell."""
    net = build_network(options.spec)
    comparison = compare_choices(
        net,
        ports=options.ports,
        algorithms=options.algorithm.split(",") if options.algorithm else None,
        sources=_senders(net, options.sources),
        progress=output.progress_bar,
    )
    if options.json:
        output.write_json(_document(comparison))
    else:
        _print(comparison)
    return 0


def _senders(net: Network, text: str) -> list[int] | None:
    """The nodes that send at the same time; None for all."""
    from noc.design import read_sources

    sources = read_sources(net, text)
    if sources == "one":
        raise InputError("--sources one: one source at a time needs one VC only")
    return None if isinstance(sources, str) else sources


def _labels(comparison: Comparison) -> list[str] | str:
    if comparison.sources is None:
        return "all"
    return [comparison.network.label(node) for node in comparison.sources]


def _document(comparison: Comparison) -> dict[str, Any]:
    return {
        "network": comparison.network.spec,
        "nodes": comparison.network.nodes,
        "ports": comparison.ports,
        "sources": _labels(comparison),
        "choices": [_choice(choice) for choice in comparison.choices],
        "cheapest": _choice(comparison.cheapest),
        "refused": dict(comparison.refused),
    }


def _choice(choice: Choice) -> dict[str, Any]:
    return {
        "algorithm": choice.algorithm,
        "height": choice.height,
        "states": choice.states,
        "method": choice.method,
        "vcs": choice.vcs,
        "certified": choice.certified,
        "cycle": [{"node": label, "vc": vc} for label, vc in choice.cycle],
        "code_bits": choice.code_bits,
        "rom_bits": choice.rom_bits,
        "modules": choice.modules,
    }


def _print(comparison: Comparison) -> None:
    net, best = comparison.network, comparison.cheapest
    facts = {"network": net.spec, "nodes": net.nodes, "ports": comparison.ports}
    chosen = {} if comparison.sources is None else {"sources": _labels(comparison)}
    print(output.facts(facts | chosen), end="\n\n")
    columns = ("algorithm", "height", "states", "method", "VCs", "certificate", "code bits")
    rows = [
        (
            *(choice.algorithm, choice.height, choice.states, choice.method, choice.vcs),
            "yes" if choice.certified else f"no, a cycle of {len(choice.cycle)}",
            *(choice.code_bits, choice.rom_bits, choice.modules),
        )
        for choice in comparison.choices
    ]
    print(output.table((*columns, "ROM bits", "modules"), rows), end="\n\n")
    which = "all" if comparison.sources is None else "these"
    for name, reason in comparison.refused:
        print(output.note(f"{name}: ", reason), end="\n\n")
    print(
        f"cheapest for {which} sources at once: --algorithm {best.algorithm} "
        f"--vcs {best.method}, {best.vcs} VCs"
    )
