"""Build one broadcast tree and print its schedule, or compare those of several algorithms.

Build one broadcast tree, or a family of trees from one root, and print its height, its balance and
the step in which each node receives. With several algorithms, print a line for the trees of each
instead.
"""

import argparse
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from noc.cli import arguments, output
from noc.cli.output import Result, Table
from noc.cli.parsers import declare
from noc.errors import InputError
from noc.networks import Network, build_network
from noc.networks.exchange import graph_text, write_graph
from noc.trees import (
    ALGORITHMS,
    Tree,
    TreeFamily,
    build_from,
    find_algorithm,
    to_networkx,
)
from noc.trees.bounds import growth_bound
from noc.trees.disjoint import least_height
from noc.trees.tree import NO_PARENT, Ports

EXAMPLES = (
    "noc tree star:4 --algorithm balanced",
    "noc tree star:5 --algorithm all",
    "noc tree star:4 -o tree.dot",
    "noc tree scc:4 --algorithm fewest-steps --no-edges",
    "noc tree scc:4 --cnf 9 scc-4-9.cnf",
)

#: Up to this many nodes the list of edges is printed without being asked for.
_SHORT = 64

#: In larger networks trees from all roots would take minutes.
_MOST_ROOTS = 1_000

#: Of a formula: more make no difference on any network of a size that can be decided.
_MOST_STEPS = 1000


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_tree_options(parser, several=True)
    declare(parser, "--json\n--csv  print CSV instead of text: a line for each algorithm")
    arguments.add_graph_file(parser, "the tree or family of trees")
    declare(
        parser,
        f"""
        --edges  list every edge with its port and step (default: in JSON, and in text for up to
            {_SHORT} nodes)
        --cnf STEPS FILE  build no tree, but write the formula (in the DIMACS format) that can be
            satisfied if a one-port broadcast from the root takes STEPS steps or fewer; see
            docs/schedules.md
        """,
        edges={"action": argparse.BooleanOptionalAction},
        cnf={"nargs": 2, "metavar": ("STEPS", "FILE")},
    )


def run(options: argparse.Namespace) -> Result:
    """Build one tree, several, or none but a formula."""
    several = options.csv or arguments.are_several(options.algorithm)
    if options.output is not None:
        for name in ("csv", "cnf"):
            if getattr(options, name):
                raise InputError(f"--output: is not for --{name}")
        if several:
            raise InputError("--output: is for one algorithm")
    if options.cnf is not None:
        return _write_formula(options)
    if several:
        return _compare(options)
    tree = arguments.build_tree(options)
    if options.output is not None:
        write_graph(options.output, partial(_file_text, tree))
    over_roots = _compare_roots(tree.network, tree.algorithm, tree.ports)
    document = _document(tree, edges=options.edges is not False) | over_roots
    edges = tree.network.nodes <= _SHORT if options.edges is None else options.edges
    return Result(document, _text(tree, edges, over_roots))


def _file_text(tree: Tree | TreeFamily, suffix: str) -> str:
    """The tree as a file that ends so; as JSON what ``--json`` prints."""
    if suffix == ".json":
        return json.dumps(_document(tree, edges=True), ensure_ascii=False, default=list) + "\n"
    return graph_text(to_networkx(tree), suffix)


def _compare_roots(network: Network, algorithm: str, ports: Ports) -> dict[str, Any]:
    """The worst and the mean height and balance over all roots; empty where they do not differ.

    In a symmetric network they never do. Neither are they compared where the tree of a single
    root is a long search, nor in networks of more than :data:`_MOST_ROOTS` nodes.
    """
    chosen, heights, balances = find_algorithm(network, algorithm), list[int](), list[float]()
    if network.symmetric or network.nodes > _MOST_ROOTS:
        return {}
    if not all(chosen.at_once(network, root) for root in range(network.nodes)):
        return {}
    for root in output.watched(range(network.nodes), "trees from all roots"):
        tree = build_from(chosen, network, root, ports)
        heights.append(tree.height)
        if not isinstance(tree, TreeFamily):
            balances.append(tree.balance)
    return {
        f"{name}_over_roots": {"worst": max(values), "mean": fmean(values)}
        for name, values in (("height", heights), ("balance", balances))
        if values and min(values) < max(values)
    }


def _compare(options: argparse.Namespace) -> Result:
    """Several algorithms, a line for each and each model that it has, or the one asked for."""
    for name in ("json", "edges"):
        if options.csv and getattr(options, name):
            raise InputError(f"--{name}: is not for --csv")
    if options.edges:
        raise InputError("--edges: is for one algorithm")
    network, ports = build_network(options.spec), options.ports
    root = arguments.chosen_root(network, options.root)
    chosen = arguments.chosen_algorithms(network, options.algorithm)
    cases = [(each, model) for each in chosen for model in each.models if ports in (None, model)]
    if not cases:
        raise InputError(f"--ports {ports}: none of the algorithms has such a form")
    trees = (
        build_from(algorithm, network, root, model)
        for algorithm, model in output.watched(cases, "trees of all algorithms")
    )
    document = {
        "network": network.spec,
        "nodes": network.nodes,
        "root": network.label(root),
        # No tree is lower, nor takes fewer steps: all-port as many as its height.
        "least_height": network.eccentricity(root),
        "least_one_port_steps": growth_bound(network, root),
        "algorithms": Table([_row(each) for each in trees]),
    }
    return Result(document)


def _row(built: Tree | TreeFamily) -> dict[str, object]:
    branches = max(built.trees, key=lambda tree: tree.balance).branch_sizes.values()
    return {
        "algorithm": built.algorithm,
        "ports": built.ports,
        "trees": len(built.trees),
        "height": built.height,
        "steps": built.steps,
        "largest_branch": max(branches),
        "smallest_branch": min(branches),
        "balance": built.balance,
    }


def _write_formula(options: argparse.Namespace) -> Result:
    steps, path = options.cnf
    if not (steps.isascii() and steps.isdigit() and 1 <= int(steps) <= _MOST_STEPS):
        raise InputError(f"--cnf {steps}: from 1 to {_MOST_STEPS} steps are allowed")
    network = build_network(options.spec)
    root = arguments.chosen_root(network, options.root)
    write = next(algorithm.formula for algorithm in ALGORITHMS.values() if algorithm.formula)
    formula = write(network, root, int(steps))
    try:
        Path(path).write_text(formula.text(), encoding="ascii")
    except OSError as error:
        raise InputError(f"--cnf {path}: {error.strerror}") from None
    size = {"variables": formula.variables, "clauses": sum(1 for _ in formula.clauses())}
    return Result({"formula": formula.name, **size, "sha256": formula.digest(), "file": path})


def _text(
    built: Tree | TreeFamily, edges: bool, over_roots: dict[str, Any]
) -> Iterator[dict[str, object] | str]:
    """The tree, or each tree of a family, with how the trees from all roots differ."""
    more = {
        name: f"worst {values['worst']:.4g}, mean {values['mean']:.4g}"
        for name, values in output.words(over_roots).items()
    }
    if isinstance(built, TreeFamily):
        yield _facts(built) | more
    for number, tree in enumerate(built.trees):
        known = _facts(tree)
        branches = known.pop("branches")
        if isinstance(built, TreeFamily):
            yield f"tree {number}\n{output.facts(known)}"
        else:
            yield known | more
        yield output.table(("root's port", "nodes behind it"), branches.items())
        last = np.zeros(tree.height + 1, dtype=np.int64)
        np.maximum.at(last, tree.depth, tree.step)
        levels = zip(range(last.size), np.bincount(tree.depth).tolist(), last.tolist(), strict=True)
        yield output.table(("depth", "nodes", "received by step"), levels)
        if edges:
            hops = [(hop["step"], hop["from"], hop["port"], hop["to"]) for hop in _edges(tree)]
            yield output.table(("step", "from", "port", "to"), hops)


def _facts(built: Tree | TreeFamily) -> dict[str, Any]:
    """Of a tree, or of a family as a whole."""
    net = built.network
    facts: dict[str, Any] = {
        "network": net.spec,
        **({"nodes": net.nodes} if isinstance(built, Tree) else {}),
        "algorithm": built.algorithm,
        "ports": built.ports,
        "root": net.label(built.root),
        "height": built.height,
        "steps": built.steps,
        "balance": built.balance,
    }
    if isinstance(built, TreeFamily):
        floor = {}
        if ALGORITHMS[built.algorithm].arc_disjoint:
            floor = {"floor": least_height(net, built.root, len(built.trees))}
        return {**facts, **floor, "congestion": built.congestion}
    branches = {net.out_ports[port]: size for port, size in sorted(built.branch_sizes.items())}
    return {**facts, **ALGORITHMS[built.algorithm].measure(built), "branches": branches}


def _document(tree: Tree | TreeFamily, *, edges: bool) -> dict[str, Any]:
    if isinstance(tree, TreeFamily):
        members = [_document(member, edges=edges) for member in tree.trees]
        return {**_facts(tree), "trees": members}
    return _facts(tree) | ({"edges": _edges(tree)} if edges else {})


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
