"""``noc classes``: trees and classes compared, so that all sources can send at once."""

import argparse
from typing import Any

from noc.cli import arguments, output
from noc.errors import InputError
from noc.networks import Network, network
from noc.programs.choices import Choice, Comparison, compare_choices
from noc.programs.classes import METHODS

__all__ = ["HELP", "configure", "run"]

HELP = "how many classes of words a network needs, by tree and by method, and the cheapest"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_specs(parser)
    parser.add_argument(
        "--algorithm",
        metavar="A,…",
        help="compare only these algorithms (default: all that the network has)",
    )
    parser.add_argument(
        "--ports",
        choices=("all", "one"),
        default="all",
        help="whether a node may send on all of its ports in a step, or on one (default: all)",
    )
    arguments.add_sources(parser)
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Compare, tell."""
    # All names before any work.
    networks = [network(spec) for spec in options.spec]
    senders = [_senders(net, options.sources) for net in networks]
    compared = [
        compare_choices(
            net,
            ports=options.ports,
            algorithms=options.algorithm.split(",") if options.algorithm else None,
            sources=chosen,
            progress=output.progress_bar,
        )
        for net, chosen in zip(networks, senders, strict=True)
    ]
    if options.json:
        documents = [_document(found) for found in compared]
        output.write_json(documents[0] if len(documents) == 1 else {"networks": documents})
    elif len(compared) == 1:
        _print(compared[0])
    else:
        _print_summary(compared)
    return 0


def _senders(net: Network, text: str) -> list[int] | None:
    """The nodes that send at the same time; None for all."""
    sources = arguments.chosen_sources(net, text)
    if sources == "one":
        raise InputError("--sources one: one source at a time needs one class only")
    return None if isinstance(sources, str) else sources


def _labels(found: Comparison) -> list[str] | str:
    if found.sources is None:
        return "all"
    return [found.network.label(node) for node in found.sources]


def _document(found: Comparison) -> dict[str, Any]:
    return {
        "network": found.network.spec,
        "nodes": found.network.nodes,
        "ports": found.ports,
        "sources": _labels(found),
        "choices": [_choice(choice) for choice in found.choices],
        "cheapest": _choice(found.cheapest),
        "refused": dict(found.refused),
    }


def _choice(choice: Choice) -> dict[str, Any]:
    return {
        "algorithm": choice.algorithm,
        "height": choice.height,
        "states": choice.states,
        "rom_bits": choice.rom_bits,
        "method": choice.method,
        "classes": choice.classes,
        "certified": choice.certified,
        "circle": [{"node": label, "class": class_} for label, class_ in choice.circle],
        "header_bits": choice.header_bits,
        "modules": choice.modules,
    }


def _print(found: Comparison) -> None:
    net, best = found.network, found.cheapest
    facts = {"network": net.spec, "nodes": net.nodes, "ports": found.ports}
    chosen = {} if found.sources is None else {"sources": _labels(found)}
    print(output.facts(facts | chosen), end="\n\n")
    columns = ("algorithm", "height", "states", "ROM bits", "method", "classes")
    rows = [
        (
            *(choice.algorithm, choice.height, choice.states, choice.rom_bits),
            *(choice.method, choice.classes),
            "yes" if choice.certified else f"no, a circle of {len(choice.circle)}",
            *(choice.header_bits, choice.modules),
        )
        for choice in found.choices
    ]
    print(output.table((*columns, "certificate", "header bits", "modules"), rows), end="\n\n")
    which = "all" if found.sources is None else "these"
    for name, reason in found.refused:
        print(output.note(f"{name}: ", reason), end="\n\n")
    print(
        f"cheapest for {which} sources at once: --algorithm {best.algorithm} "
        f"--classes {best.method}, {best.classes} classes"
    )


def _print_summary(compared: list[Comparison]) -> None:
    """A line for each network: the fewest classes of each method, and the cheapest choice."""
    methods = [name for name in METHODS if name != "one"]
    rows = []
    for found in compared:
        best = found.cheapest
        least = [
            min((c.classes for c in found.choices if c.method == name), default=None)
            for name in methods
        ]
        chosen = (best.classes, best.algorithm, best.method, best.header_bits, best.modules)
        rows.append((found.network.spec, found.network.nodes, *least, *chosen))
    columns = ("network", "nodes", *methods, "cheapest", "algorithm", "by", "header bits")
    print(output.table((*columns, "modules"), rows))
