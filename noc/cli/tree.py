"""``noc tree``: one broadcast tree and its schedule."""

import argparse
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from noc.cli import arguments, output
from noc.cli.all_roots import compare_roots
from noc.cli.compared_trees import are_several, compare_algorithms, write_csv
from noc.errors import InputError
from noc.networks import build_network
from noc.networks.exported import graph_text, write_graph
from noc.trees import ALGORITHMS, Tree, TreeFamily, to_networkx
from noc.trees.search.bounds import growth_bound
from noc.trees.search.formula import broadcast_formula
from noc.trees.tree import NO_PARENT

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "build one broadcast tree and print its schedule, or compare those of several algorithms"
DESCRIPTION = (
    "Build one broadcast tree, or a family of trees from one root, and print its height, its "
    "balance and the step in which each node receives. With several algorithms, print a line for "
    "the trees of each instead."
)
EXAMPLES = (
    "noc tree star:4 --algorithm balanced",
    "noc tree star:5 --algorithm all",
    "noc tree star:4 -o tree.dot",
    "noc tree scc:4 --algorithm fewest-steps --no-edges",
    "noc tree scc:4 --cnf 9 scc-4-9.cnf",
)

# Up to this many nodes the list of edges is printed without being asked for.
SHORT = 64

# Of a formula: more make no difference on any network of a size that can be decided.
MOST_STEPS = 1000


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_tree_options(parser, several=True)
    arguments.add_json(parser)
    parser.add_argument(
        "--csv", action="store_true", help="print CSV instead of text: a line for each algorithm"
    )
    arguments.add_graph_file(parser, "the tree or family of trees")
    parser.add_argument(
        "--edges",
        action=argparse.BooleanOptionalAction,
        help="list every edge with its port and step (default: in JSON, and in text for up to "
        f"{SHORT} nodes)",
    )
    parser.add_argument(
        "--cnf",
        nargs=2,
        metavar=("STEPS", "FILE"),
        help="build no tree, but write the formula (in the DIMACS format) that can be satisfied if "
        "a one-port broadcast from the root takes STEPS steps or fewer; see docs/schedules.md",
    )


def run(options: argparse.Namespace) -> int:
    """Build and print."""
    if options.output is not None and (
        options.cnf is not None or options.csv or are_several(options.algorithm)
    ):
        raise InputError("--output: is for one algorithm, without --csv and --cnf")
    if options.cnf is not None:
        return _write_formula(options)
    if options.csv or are_several(options.algorithm):
        return _compare(options)
    tree = arguments.build_tree(options)
    if options.output is not None:
        write_graph(options.output, partial(_text, tree))
    progress = output.progress_bar("trees from all roots")
    over_roots = compare_roots(tree.network, tree.algorithm, tree.ports, progress)
    if options.json:
        output.write_json(_document(tree, edges=options.edges is not False) | over_roots)
        return 0
    edges = tree.network.nodes <= SHORT if options.edges is None else options.edges
    if isinstance(tree, TreeFamily):
        print(output.facts({**_family_facts(tree), **_in_words(over_roots)}))
        for place, member in enumerate(tree.trees):
            print(f"\ntree {place}")
            _print_tree(member, edges, {})
    else:
        _print_tree(tree, edges, _in_words(over_roots))
    return 0


def _text(tree: Tree | TreeFamily, suffix: str) -> str:
    """The tree as a file that ends so; as JSON what ``--json`` prints."""
    if suffix == ".json":
        return json.dumps(_document(tree, edges=True), ensure_ascii=False, default=list) + "\n"
    return graph_text(to_networkx(tree), suffix)


def _compare(options: argparse.Namespace) -> int:
    """Several algorithms, a line each."""
    for name in ("json", "edges"):
        if options.csv and getattr(options, name):
            raise InputError(f"--{name}: is not for --csv")
    if options.edges:
        raise InputError("--edges: is for one algorithm")
    network = build_network(options.spec)
    root = arguments.chosen_root(network, options.root)
    progress = output.progress_bar("trees of all algorithms")
    rows = compare_algorithms(network, options.algorithm, root, options.ports, progress)
    facts = {
        "network": network.spec,
        "nodes": network.nodes,
        "root": network.label(root),
        # No tree is lower, nor takes fewer steps: all-port as many as its height.
        "least_height": network.eccentricity(root),
        "least_one_port_steps": growth_bound(network, root),
    }
    if options.csv:
        write_csv(rows)
    elif options.json:
        output.write_json({**facts, "algorithms": rows})
    else:
        shown = {name.replace("_", " "): value for name, value in facts.items()}
        print(f"{output.facts(shown)}\n")
        heads = [name.replace("_", " ") for name in rows[0]]
        print(output.table(heads, [[*row.values()] for row in rows]))
    return 0


def _write_formula(options: argparse.Namespace) -> int:
    steps, path = options.cnf
    if not (steps.isascii() and steps.isdigit() and 1 <= int(steps) <= MOST_STEPS):
        raise InputError(f"--cnf {steps}: from 1 to {MOST_STEPS} steps are allowed")
    network = build_network(options.spec)
    root = arguments.chosen_root(network, options.root)
    formula = broadcast_formula(network, root, int(steps))
    try:
        Path(path).write_text(formula.text(), encoding="ascii")
    except OSError as error:
        raise InputError(f"--cnf {path}: {error.strerror}") from None
    facts: dict[str, object] = {
        "formula": formula.name,
        "variables": formula.variables,
        "clauses": sum(1 for _ in formula.clauses()),
        "sha256": formula.digest(),
        "file": path,
    }
    if options.json:
        output.write_json(facts)
    else:
        print(output.facts(facts))
    return 0


def _in_words(over_roots: dict[str, Any]) -> dict[str, str]:
    """How the trees from all roots differ."""
    return {
        name.replace("_", " "): f"worst {values['worst']:.4g}, mean {values['mean']:.4g}"
        for name, values in over_roots.items()
    }


def _print_tree(tree: Tree, edges: bool, more: dict[str, str]) -> None:
    known = _facts(tree)
    facts = {name: value for name, value in known.items() if name != "branches"}
    print(output.facts({**facts, **more}))
    print()
    print(output.table(("root's port", "nodes behind it"), known["branches"].items()))
    print()
    print(output.table(("depth", "nodes", "received by step"), _levels(tree)))
    if edges:
        print()
        rows = [(edge["step"], edge["from"], edge["port"], edge["to"]) for edge in _edges(tree)]
        print(output.table(("step", "from", "port", "to"), rows))


def _facts(tree: Tree) -> dict[str, Any]:
    network = tree.network
    return {
        "network": network.spec,
        "nodes": network.nodes,
        "algorithm": tree.algorithm,
        "ports": tree.ports,
        "root": network.label(tree.root),
        "height": tree.height,
        "steps": tree.steps,
        "balance": tree.balance,
        **ALGORITHMS[tree.algorithm].measure(tree),
        "branches": {
            network.out_ports[port]: size for port, size in sorted(tree.branch_sizes.items())
        },
    }


def _family_facts(family: TreeFamily) -> dict[str, object]:
    return {
        "network": family.network.spec,
        "algorithm": family.algorithm,
        "ports": family.ports,
        "root": family.network.label(family.root),
        "height": family.height,
        "steps": family.steps,
        "balance": family.balance,
        "congestion": family.congestion,
    }


def _document(tree: Tree | TreeFamily, *, edges: bool) -> dict[str, Any]:
    if isinstance(tree, TreeFamily):
        members = [_document(member, edges=edges) for member in tree.trees]
        return {**_family_facts(tree), "trees": members}
    listed = {"edges": _edges(tree)} if edges else {}
    return {**_facts(tree), **listed}


def _edges(tree: Tree) -> Iterator[dict[str, object]]:
    """Every hop, in the order in which a broadcast makes them."""
    network = tree.network
    hops = np.lexsort((tree.port, tree.parent, tree.step))
    for child in hops[tree.parent[hops] != NO_PARENT].tolist():
        yield {
            "from": network.label(int(tree.parent[child])),
            "to": network.label(child),
            "port": network.out_ports[int(tree.port[child])],
            "step": int(tree.step[child]),
        }


def _levels(tree: Tree) -> list[tuple[int, int, int]]:
    count = np.bincount(tree.depth)
    last = np.zeros(count.size, dtype=np.int64)
    np.maximum.at(last, tree.depth, tree.step)
    return [(depth, int(count[depth]), int(last[depth])) for depth in range(count.size)]
