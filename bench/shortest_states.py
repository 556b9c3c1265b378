"""How small the programs of ``shortest`` are over n, step by step of its search, as JSON.

``python bench/shortest_states.py`` measures all families at moderate sizes;
``python bench/shortest_states.py scc:7 star:8`` the networks named.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from noc.networks import Network, build_network
from noc.programs import compile_trees
from noc.trees import Tree, TreeFamily, algorithms_on, build_trees
from noc.trees.bfs_levels import bfs_levels
from noc.trees.schedule import scheduled
from noc.trees.tiebreak import Rule, apply

FAMILIES = {
    "star": range(3, 9),
    "scc": range(3, 8),
    "uhc": range(2, 13),
    "hypercube": range(2, 9),
    "ccc": range(3, 11),
    "incomplete-star": ["4,3", "5,3"],
    "nk-star": ["4,2", "5,3"],
    "arrangement": ["4,2", "5,2"],
}

# What takes minutes on large networks, and is measured elsewhere.
SLOW = {"fewest-steps"}


def by_rule(net: Network, rule: Rule) -> Callable[[int], Tree]:
    """The trees of one fixed preference."""

    def build(root: int) -> Tree:
        around = bfs_levels(net, root)
        return scheduled(net, "rule", "all", root, *around.tree(apply(rule, around)))

    return build


def by_algorithm(net: Network, name: str) -> Callable[[int], TreeFamily]:
    """The trees of an algorithm, all-port where it can."""
    ports = next(entry for entry in algorithms_on(net) if entry.name == name).models[0]
    return lambda root: build_trees(net, name, root=root, ports=ports)


def measured(
    net: Network, method: str, tree_of: Callable[[int], Tree | TreeFamily]
) -> dict[str, Any]:
    """One line of the result."""
    begin = time.perf_counter()
    automaton = compile_trees(net, tree_of)
    return {
        "network": net.spec,
        "nodes": net.nodes,
        "method": method,
        "height": tree_of(0).height,
        "states": automaton.states,
        "automaton_rows": automaton.total_rows,
        "seconds": round(time.perf_counter() - begin, 3),
    }


def main() -> None:
    """Measure and print."""
    given = [f"{family}:{size}" for family, sizes in FAMILIES.items() for size in sizes]
    results = []
    for spec in sys.argv[1:] or given:
        net = build_network(spec)
        methods: dict[str, Callable[[int], Tree | TreeFamily]] = {
            f"plain, {end} end": by_rule(net, Rule.plain(net, from_root=end == "root"))
            for end in ("node", "root")
        }
        names = [entry.name for entry in algorithms_on(net) if entry.name not in SLOW]
        methods |= {name: by_algorithm(net, name) for name in names}
        results += [measured(net, method, tree_of) for method, tree_of in methods.items()]
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
